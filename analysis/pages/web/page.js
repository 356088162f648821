// SPDX-License-Identifier: Apache-2.0
// Last of a page's scripts: draws each kind of data by its view.
"use strict";

for (const script of document.querySelectorAll("script[type='application/json'][data-view]")) {
  const name = script.dataset.view;
  views[name](document.querySelector(`section[data-view="${name}"]`), JSON.parse(script.textContent));
}

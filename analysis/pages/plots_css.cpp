// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/svg.hpp"
#include "analysis/pages/validation_plots.hpp"

namespace epochcast {
namespace {

constexpr const char* kCss = R"(:root{--near:#bfdcc8;--far:#e3efe6}
@media (prefers-color-scheme:dark){:root{--near:#30543c;--far:#22362a}}
.plot{display:block;width:100%;min-width:42rem;max-width:56rem;height:auto;font-size:13px;
font-family:system-ui,sans-serif}
.plot text{fill:var(--text)}
.plot .tick,.plot .failed{fill:var(--muted)}
.plot .tick{font-size:12px}
.plot .group{font-weight:600}
.frame{fill:none;stroke:var(--line)}
.grid{stroke:var(--line);stroke-width:.6}
.zero{stroke:var(--text);stroke-width:1}
.diagonal{stroke:var(--text);stroke-width:1.2;stroke-dasharray:5 3}
.band3{fill:var(--near)}
.band8{fill:var(--far)}
.bar{stroke:currentColor;stroke-width:1.6}
.legend-bar{color:var(--muted)}
.marker{fill:currentColor;stroke:var(--page);stroke-width:1}
.point:hover .marker{stroke:var(--text);stroke-width:2}
.hover{fill:transparent}
.point:hover .hover{fill:var(--panel)}
.compute{fill:var(--compute)}
.exchange{fill:url(#exchange-pattern)}
.exchange-ground{fill:var(--exchange)}
.exchange-line{fill:var(--exchange-line)}
.blocked{fill:url(#blocked-pattern)}
.blocked-ground{fill:var(--blocked)}
.blocked-line{fill:var(--blocked-line)}
.interval{stroke:var(--muted);stroke-width:1.2}
.plot .name{font-size:12px}
.empty{fill:var(--page)}
.cut{fill:var(--text)}
.epoch-error{stroke:var(--text);stroke-width:2.5}
)";

}  // namespace

std::string plots_css() { return kCss + marker_css(); }

}  // namespace epochcast

// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/svg.hpp"
#include "analysis/pages/validation_plots.hpp"

namespace epochcast {
namespace {

constexpr const char* kPageCss = R"(:root{color-scheme:light dark;--text:#1b1b1b;--muted:#595959;
--page:#fff;--panel:#f5f5f3;--line:#d9d9d6}
@media (prefers-color-scheme:dark){:root{--text:#ececec;--muted:#adadad;--page:#161616;
--panel:#222;--line:#444}}
body{margin:0 auto;padding:1.5rem;max-width:70rem;background:var(--page);color:var(--text);
font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:0 0 1rem}
h2{font-size:1.2rem;margin:2.5rem 0 .3rem}
p{max-width:48rem;margin:.3rem 0 1rem}
.muted,.range{color:var(--muted)}
dl{display:flex;flex-wrap:wrap;gap:.8rem;margin:0 0 1rem}
dl div{flex:1 1 10rem;background:var(--panel);border-radius:.5rem;padding:.7rem 1rem}
dt{color:var(--muted);font-size:.85rem}
dd{margin:0;font-size:1.5rem;font-variant-numeric:tabular-nums}
dd small{display:block;font-size:.8rem;line-height:1.35;overflow-wrap:anywhere;color:var(--muted)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--panel);padding:.5rem .8rem;
border-radius:.4rem;font-size:.85rem;margin:.3rem 0}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;width:100%}
th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid var(--line);vertical-align:top}
td{white-space:nowrap}
thead th{color:var(--muted);vertical-align:bottom}
tbody .left{font-weight:400}
.left{text-align:left;min-width:12rem;overflow-wrap:anywhere;white-space:normal}
.group{text-align:left;padding-top:1rem;white-space:normal}
.group span{font-weight:400;color:var(--muted)}
.range{display:block;font-size:.8rem}
)";

constexpr const char* kCss = R"(:root{--compute:#0072b2;--exchange:#e69f00;--exchange-line:#8a5f00;
--blocked:#d4d4d4;--blocked-line:#5c5c5c;--near:#bfdcc8;--far:#e3efe6}
@media (prefers-color-scheme:dark){:root{--compute:#4db2ec;--exchange:#e0a020;
--exchange-line:#6b4a00;--blocked:#6a6a6a;--blocked-line:#d8d8d8;--near:#30543c;--far:#22362a}}
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

std::string page_css() { return kPageCss; }

std::string plots_css() { return kCss + marker_css(); }

}  // namespace epochcast

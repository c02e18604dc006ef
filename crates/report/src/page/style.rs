//! How pages look: one column, light or dark as the reader's system asks, plots and pictures on light cards.

pub(crate) const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#f4f6f9;--sheet:#ffffff;--ink:#1c222e;--soft:#5c6676;--line:#dde2ea;
--link:#1f5fa8;--good:#1c7a4a;--good-paper:#e3f4ea;--bad:#b3281f;--bad-paper:#fbe7e5;--card:#ffffff;--code:#eef1f5}
@media (prefers-color-scheme:dark){:root{--paper:#14171d;--sheet:#1b2028;--ink:#e6eaf0;--soft:#9aa5b5;--line:#313947;
--link:#7fb2ec;--good:#6fd3a0;--good-paper:#16301f;--bad:#ff9c92;--bad-paper:#3a1c1a;--card:#ffffff;--code:#232a35}}
@media (prefers-color-scheme:dark){.card{filter:brightness(.93)}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,\
'Helvetica Neue',Arial,sans-serif}
main{max-width:1060px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 18px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.2rem;line-height:1.3;margin:0 0 12px;letter-spacing:-.005em}
section{margin:36px 0 0}
p{margin:0 0 12px;max-width:46em}
.introduction,.purpose{color:var(--soft)}
.purpose{margin:0 0 4px}
a{color:var(--link)}
.verdict{border-radius:10px;padding:16px 20px;border-left:6px solid}
.verdict strong{display:block;font-size:1.25rem;line-height:1.35;overflow-wrap:anywhere}
.verdict ul{margin:8px 0 0;padding-left:1.2em;color:var(--ink)}
.verdict.good{background:var(--good-paper);border-color:var(--good)}
.verdict.good strong{color:var(--good)}
.verdict.bad{background:var(--bad-paper);border-color:var(--bad)}
.verdict.bad strong{color:var(--bad)}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px;margin:0 0 16px}
.plot-card{overflow-x:auto}
.plot{display:block;width:100%;min-width:640px;height:auto}
.plot text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;\
font-variant-numeric:tabular-nums}
figure.card{text-align:center}
figure img{display:block;max-width:100%;height:auto;margin:0 auto}
figcaption{color:#5c6676;font-size:.9rem;margin-top:8px;overflow-wrap:anywhere}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(210px,1fr));gap:1px;margin:0;background:var(--sheet);\
border:1px solid var(--line);border-radius:10px;overflow:hidden}
.facts div{box-shadow:1px 1px 0 var(--line);padding:10px 14px;min-width:0}
.facts dt{color:var(--soft);font-size:.82rem}
.facts dd{margin:2px 0 0;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:10px;background:var(--sheet);margin:0 0 16px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:8px 14px;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-size:.82rem;font-weight:600;white-space:nowrap}
td:first-child{white-space:nowrap}
tbody tr:last-child td{border-bottom:0}
.files{display:grid;grid-template-columns:minmax(0,max-content) minmax(0,1fr);gap:6px 20px;margin:0}
.files dt{overflow-wrap:anywhere}
.files dd{margin:0;color:var(--soft)}
pre{background:var(--code);border-radius:8px;padding:10px 14px;margin:0 0 14px;overflow-x:auto}
code{font:14px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
ul{margin:0 0 12px;padding-left:1.3em}
li{margin:0 0 4px;max-width:46em}
@media (max-width:640px){main{padding:20px 14px 40px}.card{padding:8px}.files{grid-template-columns:1fr;gap:0}\
.files dd{margin:0 0 10px}.facts{grid-template-columns:repeat(auto-fill,minmax(140px,1fr))}}
@media print{body{background:#fff}.card,.scroll{break-inside:avoid}}
";

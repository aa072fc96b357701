// What the theme lacks for all to read the site, in what its own script adds: names that tell its landmarks apart, and
// tables that keys can scroll.
function complete() {
  for (const [place, bar] of document.querySelectorAll("nav.md-code__nav").entries()) {
    const name = document.documentElement.lang === "ja" ? `コード ${place + 1}` : `Code ${place + 1}`;
    if (bar.getAttribute("aria-label") !== name) bar.setAttribute("aria-label", name);
  }
  for (const scrolled of document.querySelectorAll(".md-typeset__scrollwrap")) scrolled.tabIndex = 0;
}

new MutationObserver(complete).observe(document.documentElement, { childList: true, subtree: true });
complete();

// Tooltips on hover, focus and tap, and the switch between light and dark; nothing else.
(() => {
  "use strict";
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  document.getElementById("theme").addEventListener("click", () => {
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });

  const box = document.getElementById("tooltip");
  let shown = null;
  const hide = () => {
    if (shown) shown.classList.remove("shown");
    shown = null;
    box.hidden = true;
  };
  const show = (mark) => {
    if (mark === shown) return;
    hide();
    shown = mark;
    mark.classList.add("shown");
    box.textContent = mark.dataset.tip;
    box.hidden = false;
    const at = mark.getBoundingClientRect();
    const size = box.getBoundingClientRect();
    const width = root.clientWidth;
    let left = at.left + at.width / 2 - size.width / 2;
    left = Math.max(8, Math.min(left, width - size.width - 8));
    let top = at.top - size.height - 10;
    if (top < 8) top = at.bottom + 10;
    box.style.left = `${left + window.scrollX}px`;
    box.style.top = `${top + window.scrollY}px`;
  };

  const markOf = (event) =>
    event.target instanceof Element ? event.target.closest(".tip") : null;
  document.addEventListener("pointerover", (event) => {
    const mark = markOf(event);
    if (mark) show(mark);
    else hide();
  });
  document.addEventListener("click", (event) => {
    const mark = markOf(event);
    if (mark) show(mark);
    else hide();
  });
  document.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    if (mark) show(mark);
    else hide();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const mark = markOf(event);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!mark || !step) return;
    event.preventDefault();
    const marks = [...mark.ownerSVGElement.querySelectorAll(".tip")];
    const next = marks[(marks.indexOf(mark) + step + marks.length) % marks.length];
    mark.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });

  // One stop for the tab key a picture; the arrow keys go from mark to mark.
  for (const picture of document.querySelectorAll("svg")) {
    picture.querySelectorAll(".tip").forEach((mark, at) => {
      mark.setAttribute("tabindex", at === 0 ? "0" : "-1");
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", mark.dataset.tip);
    });
  }
})();

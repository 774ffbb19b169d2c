// Without this script every choice of figure 6.1 is there to unfold; with it a list swaps them.
for (const box of document.querySelectorAll(".choices")) {
  const select = box.querySelector("select");
  const show = () => {
    for (const choice of box.querySelectorAll("details")) {
      choice.hidden = choice.dataset.cpu !== select.value;
      choice.open = true;
    }
  };
  box.classList.add("choosing");
  box.querySelector(".choose").hidden = false;
  select.addEventListener("change", show);
  show();
}

// Keeps the place in the table when a link of the view is followed. Without this script every link is a plain page.
const board = document.getElementById("board");
const KEY = "board-scroll";
if (board) {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (kept) {
    const [page, across] = kept.split(",").map(Number);
    window.scrollTo(0, page);
    board.scrollLeft = across;
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".views a, .board thead a");
    if (link) sessionStorage.setItem(KEY, `${window.scrollY},${board.scrollLeft}`);
  });
}

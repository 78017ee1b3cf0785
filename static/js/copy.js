// Gives each block of code a button that copies it. Without this script the reader selects it by hand.
if (navigator.clipboard) for (const block of document.querySelectorAll("article pre")) {
  const frame = document.createElement("div");
  const button = document.createElement("button");
  frame.className = "code";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent.trimEnd()).then(() => { button.textContent = "Copied"; }, () => {});
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  block.replaceWith(frame);
  frame.append(block, button);
}

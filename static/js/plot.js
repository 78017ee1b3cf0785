// Puts the interactive figure beside its drawing, on demand. Without this script the drawing and the table stand alone.
for (const figure of document.querySelectorAll("[data-plot-frame]")) {
  const drawing = figure.querySelector("svg");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = figure.dataset.plotButton;
  button.addEventListener("click", () => {
    const frame = document.createElement("iframe");
    frame.src = figure.dataset.plotFrame;
    frame.title = figure.dataset.plotTitle;
    frame.height = drawing.getBoundingClientRect().height;
    frame.className = "plot-frame";
    button.remove();
    figure.insertBefore(frame, drawing);
    frame.addEventListener("load", () => drawing.classList.add("behind"));
  });
  figure.append(button);
}

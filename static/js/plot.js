// Puts the interactive figure in place of its drawing, on demand. Without this script the drawing and the table stand alone.
function dress(figure) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = figure.dataset.plotButton;
  button.addEventListener("click", () => {
    const drawing = figure.querySelector(".drawings") ?? figure.querySelector("svg");
    const frame = document.createElement("iframe");
    frame.src = figure.dataset.plotFrame;
    frame.title = figure.dataset.plotTitle;
    frame.height = drawing.getBoundingClientRect().height;
    frame.className = "plot-frame";
    button.remove();
    drawing.before(frame);
    frame.addEventListener("load", () => drawing.classList.add("behind"));
  });
  figure.append(button);
}

// A board that changes in place brings figures that have no button yet.
function dressAll() {
  for (const figure of document.querySelectorAll("[data-plot-frame]:not([data-dressed])")) {
    figure.dataset.dressed = "";
    dress(figure);
  }
}

dressAll();
document.addEventListener("shown", dressAll);

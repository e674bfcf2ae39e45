// Pans, zooms, and tells of the node or edge under the mouse.
(function (own) {
  "use strict";
  // A notebook may run this in another place of the page: then every picture that was not started yet is meant.
  const pictures = own && own.querySelector("svg") ? [own] : document.querySelectorAll(".bs-graph:not([data-ready])");
  pictures.forEach(start);

function start(root) {
  root.dataset.ready = "";
  const svg = root.querySelector("svg"), panel = root.querySelector(".told"), scene = svg.querySelector(".scene");
  let scale = 1, left = 0, top = 0, drag = null;

  function move() {
    scene.setAttribute("transform", `translate(${left} ${top}) scale(${scale})`);
  }
  function fit() {
    const box = svg.getBoundingClientRect(), width = +svg.dataset.width, height = +svg.dataset.height;
    scale = Math.min(box.width / width, box.height / height, 1.5);
    left = (box.width - width * scale) / 2;
    top = Math.max(0, (box.height - height * scale) / 2);
    move();
  }
  const READABLE = 0.8;
  function begin() {
    // A picture that would be too small to read begins at its first nodes.
    fit();
    if (scale >= READABLE) { return; }
    const box = svg.getBoundingClientRect(), leaves = [...scene.querySelectorAll(".is-leaf")].map(each => each.getBBox());
    const middles = leaves.map(each => each.x + each.width / 2);
    const middle = middles.length ? (Math.min(...middles) + Math.max(...middles)) / 2 : +svg.dataset.width / 2;
    scale = READABLE;
    left = +svg.dataset.width * scale <= box.width ? (box.width - svg.dataset.width * scale) / 2 : box.width / 2 - middle * scale;
    top = 8;
    move();
  }
  svg.addEventListener("wheel", function (event) {
    event.preventDefault();
    const box = svg.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const factor = Math.exp(-event.deltaY * 0.0015), next = Math.min(20, Math.max(0.02, scale * factor));
    left = x - (x - left) * next / scale;
    top = y - (y - top) * next / scale;
    scale = next;
    move();
  }, { passive: false });
  svg.addEventListener("pointerdown", function (event) {
    drag = { x: event.clientX - left, y: event.clientY - top };
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", function (event) {
    if (drag) { left = event.clientX - drag.x; top = event.clientY - drag.y; move(); }
  });
  svg.addEventListener("pointerup", function () { drag = null; });
  svg.addEventListener("dblclick", fit);

  const nodes = new Map(), edges = [];
  scene.querySelectorAll("[data-node]").forEach(each => nodes.set(+each.dataset.node, each));
  scene.querySelectorAll("[data-edge]").forEach(each => edges.push(each));

  function light(number) {
    const near = new Set([number]);
    for (const edge of edges) {
      const on = +edge.dataset.from === number || +edge.dataset.to === number;
      edge.classList.toggle("near", on);
      if (on) { near.add(+edge.dataset.from); near.add(+edge.dataset.to); }
    }
    nodes.forEach((node, other) => node.classList.toggle("far", !near.has(other)));
    edges.forEach(edge => edge.classList.toggle("far", !edge.classList.contains("near")));
  }
  function dark() {
    nodes.forEach(node => node.classList.remove("far"));
    edges.forEach(edge => edge.classList.remove("near", "far"));
  }
  function tell(text) {
    panel.replaceChildren();
    for (const [kind, line] of text) {
      const row = document.createElement("div");
      row.className = kind;
      row.textContent = line;
      panel.append(row);
    }
  }
  const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  nodes.forEach(function (node, number) {
    node.addEventListener("pointerenter", function () { if (!drag) { light(number); tell(data.nodes[number]); } });
    node.addEventListener("pointerleave", dark);
  });
  edges.forEach(function (edge) {
    edge.addEventListener("pointerenter", function () { if (!drag) { tell(data.edges[+edge.dataset.edge]); } });
  });
  begin();
  window.addEventListener("resize", begin);
}
})(document.currentScript.parentElement);

// Draws the tides that the server put into the page.
"use strict";

const tides = JSON.parse(document.getElementById("tides").textContent);

function clock(moment) {
  const date = new Date(moment);
  return date.getHours() + ":" + date.getMinutes();
}

function row(tide) {
  const line = document.createElement("tr");
  line.className = tide.high ? "high" : "low";
  for (const text of [clock(tide.at), tide.high ? "high" : "low", tide.metres.toFixed(1)]) {
    const cell = document.createElement("td");
    cell.textContent = text;
    line.append(cell);
  }
  return line;
}

function draw() {
  const rows = document.getElementById("rows");
  rows.replaceChildren();
  for (const tide of tides) {
    rows.append(row(tide));
  }
}

function today() {
  const options = { weekday: "long", day: "numeric", month: "long" };
  document.getElementById("today").textContent = new Date().toLocaleDateString("en", options);
}

today();
draw();

// Curves over anything but time: Campbell diagrams, transfer functions, poles.

class Chart extends Plot {
  // chart: {title, x, logX, log, traces: [{name, unit, style, hidden, x, y, labels}]}
  constructor(parent, chart) {
    const series = chart.traces.map((t) => ({ ...t, shown: !t.hidden }));
    const all = series.flatMap((s) => s.x);
    super(parent, chart.title, all, series, { log: chart.log, logX: chart.logX, pad: true, xName: chart.x }, null);
    this.note = element("p", "hint", this.legend.parentNode);
    this.canvas.addEventListener("pointermove", (e) => this.hover(e.offsetX, e.offsetY));
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.leave();
  }

  leave() {
    this.note.textContent = this.series.some((s) => s.labels) ? "Point at a mark." : "";
    this.cursor = null;
    this.labels.forEach((l) => {
      l.textContent = "";
    });
    this.drawCursor();
  }

  // Values of all lines under the pointer go to the legend; the label of the mark nearest to it below.
  hover(x, y) {
    const at = this.xAt(x);
    const value = this.options.logX ? 10 ** at : at;
    this.series.forEach((s, k) => {
      const v = s.style === "marks" ? NaN : this.valueAt(s, value);
      this.labels[k].textContent = Number.isFinite(v) ? shortNumber(v) : "";
    });
    this.cursor = at;
    this.drawCursor();
    const mark = this.nearest(x, y);
    this.note.textContent = mark ? mark.text : this.series.some((s) => s.labels) ? "Point at a mark." : "";
  }

  valueAt(s, value) {
    const n = s.x.length;
    const [a, b] = [s.x[0], s.x[n - 1]].sort((p, q) => p - q);
    if (n < 2 || value < a || value > b) {
      return NaN;
    }
    const up = s.x[n - 1] > s.x[0];
    const i = up ? interval(s.x, value) : n - 2 - interval([...s.x].reverse(), value);
    const w = (value - s.x[i]) / (s.x[i + 1] - s.x[i]);
    return s.y[i] === null || s.y[i + 1] === null ? NaN : s.y[i] + w * (s.y[i + 1] - s.y[i]);
  }

  // The mark with a label within 12 pixels of a place of the canvas.
  nearest(x, y) {
    let best = null;
    this.series.forEach((s) => {
      for (let i = 0; s.shown && s.labels && i < s.x.length; ++i) {
        const [u, v] = this.place(s.x[i], s.y[i]);
        const distance = Math.hypot(u - x, v - y);
        if (distance < 12 && (!best || distance < best.distance)) {
          best = { distance, text: s.labels[i] };
        }
      }
    });
    return best;
  }

  // Pixels of a point.
  place(x, y) {
    const { left, top, width, height } = this.frame();
    const [a, b] = this.limits();
    const [low, high] = this.bounds(a, b);
    return [left + ((this.tx(x) - a) / (b - a)) * width, top + height - ((this.ty(y) - low) / (high - low)) * height];
  }

  curve(c, s, px, py, a, b) {
    if (s.style !== "marks") {
      c.setLineDash(s.style === "dashed" ? [6, 4] : []);
      super.curve(c, s, px, py, a, b);
      c.setLineDash([]);
      return;
    }
    c.strokeStyle = `rgb(${s.colour.map((v) => Math.round(255 * v)).join(",")})`;
    c.lineWidth = 2;
    for (let i = 0; i < s.x.length; ++i) {
      c.beginPath();
      c.arc(px(s.x[i]), py(s.y[i]), 4, 0, 7);
      c.stroke();
    }
  }
}

function chartPlots(parent, charts) {
  const plots = charts.map((c) => new Chart(parent, c));
  return { plots, draw: () => plots.forEach((p) => p.draw()) };
}

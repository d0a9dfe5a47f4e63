// The plots of a page: panels of curves that share the cursor.

class Curves {
  constructor(parent, data, jump) {
    this.parent = parent;
    this.plots = [];
    this.series = [];
    this.t = new Float64Array(0);
    if (!data) {
      return;
    }
    this.t = doubles(data.t);
    this.series = data.series.map((s) => {
      const y = Float64Array.from(floats(s.y));
      for (let i = 0; s.offset && i < y.length; ++i) {
        y[i] += s.offset;
      }
      return { name: s.name, unit: s.unit, y, shown: true };
    });
    for (const panel of data.panels) {
      const chosen = panel.series.map((k, i) => ({ ...this.series[k], shown: i < 6 }));
      this.plots.push(new Plot(parent, panel.title, this.t, chosen, { log: panel.log, xName: panel.xName, share: (range) => this.zoom(range) }, jump));
    }
  }

  valueAt(s, t) {
    const i = this.t.length > 1 ? interval(this.t, t) : 0;
    const w = this.t.length > 1 ? Math.min(1, Math.max(0, (t - this.t[i]) / (this.t[i + 1] - this.t[i]))) : 0;
    return w > 0 ? s.y[i] + w * (s.y[i + 1] - s.y[i]) : s.y[i];
  }

  // One range of time for all.
  zoom(range) {
    this.plots.forEach((p) => {
      p.range = range;
    });
    this.draw();
  }

  draw() {
    this.plots.forEach((p) => p.draw());
  }

  moveCursor(t) {
    this.plots.forEach((p) => p.moveCursor(t));
  }
}

// Errors over step sizes, one curve per method, in doubly logarithmic axes.
function studyPlots(parent, study) {
  const plots = study.quantities.map((quantity) => {
    const series = study.methods.map((m) => ({ name: m.name, unit: "", x: m.h, y: m.errors[quantity], shown: true }));
    const all = study.methods.flatMap((m) => m.h);
    const p = new Plot(parent, `error of ${quantity}`, all, series, { log: true, logX: true, marks: true, xName: "h [s]" }, null);
    series.forEach((s, k) => {
      const order = study.methods[k].orders[quantity];
      p.labels[k].textContent = Number.isFinite(order) ? `order ${order.toFixed(2)}` : "";
    });
    return p;
  });
  return { draw: () => plots.forEach((p) => p.draw()) };
}

// Curves over time (or over anything): axes, zoom, a cursor that follows the animation.

// Ticks at 1, 2 or 5 times a power of ten.
function ticks(low, high, want) {
  // a curve that is constant but for rounding has no ticks to tell apart
  const raw = Math.max(high - low, 1e-13 * Math.max(Math.abs(low), Math.abs(high))) / want;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) || power;
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    out.push(k * step);
  }
  return { step, at: out };
}

// Ticks of a logarithmic axis from 10^low to 10^high: powers of ten, and 2 and 5 times these where there is room.
function logTicks(low, high, want) {
  const factors = (high - low) * 3 <= want * 1.5 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil((high - low) / want));
  const out = [];
  for (let k = Math.floor(low); k <= high; ++k) {
    for (const f of factors) {
      const v = k + Math.log10(f);
      if (v >= low - 1e-9 && v <= high + 1e-9 && (factors.length > 1 || k % stride === 0)) {
        out.push(v);
      }
    }
  }
  return out.length > 1 ? { step: 1, at: out } : ticks(low, high, want);
}

function number(x, step) {
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
  const a = Math.abs(x);
  return a >= 1e5 || (a > 0 && a < 1e-3 && step < 1e-3) ? x.toExponential(2) : x.toFixed(digits);
}

function shortNumber(x) {
  const a = Math.abs(x);
  return a === 0 ? "0" : a >= 1e5 || a < 1e-3 ? x.toExponential(3) : String(Number(x.toPrecision(5)));
}

class Plot {
  // x: array; series: [{name, unit, y, shown, colour}]; options: {log, logX, marks, pad, xName, share}
  constructor(parent, title, x, series, options, cursorMoved) {
    this.x = x;
    this.series = series;
    this.options = options;
    this.cursorMoved = cursorMoved;
    this.range = null; // of x, null: all
    this.cursor = null;
    const box = element("section", "plot", parent);
    const heading = element("h3", "", box);
    const units = new Set(series.map((s) => s.unit || ""));
    this.unit = units.size === 1 ? [...units][0] : null; // common to all: it stands in the heading
    this.title = title;
    element("span", "", heading).textContent = this.unit && this.unit !== "1" ? `${title} [${this.unit}]` : title;
    this.base = element("small", "", heading);
    const area = element("div", "area", box);
    this.canvas = element("canvas", "", area);
    this.line = element("div", "cursor", area);
    this.legend = element("div", "legend", box);
    this.labels = series.map((s, i) => this.label(s, i));
    this.listen();
  }

  label(s, i) {
    s.colour = s.colour || PALETTE[i % PALETTE.length];
    const button = element("button", "curve", this.legend);
    button.type = "button";
    const swatch = element("span", "swatch", button);
    swatch.style.background = `rgb(${s.colour.map((c) => Math.round(255 * c)).join(",")})`;
    const short = s.name.startsWith(`${this.title}.`) ? s.name.slice(this.title.length + 1) : s.name;
    element("span", "", button).textContent = this.unit === null && s.unit && s.unit !== "1" ? `${short} [${s.unit}]` : short;
    button.title = s.name;
    const value = element("output", "", button);
    const show = () => {
      button.setAttribute("aria-pressed", String(s.shown));
      button.classList.toggle("off", !s.shown);
    };
    button.addEventListener("click", () => {
      s.shown = !s.shown;
      show();
      this.draw();
    });
    show();
    return value;
  }

  listen() {
    let from = null;
    const at = (e) => this.xAt(e.offsetX);
    this.canvas.addEventListener("pointerdown", (e) => {
      from = e.offsetX;
      this.canvas.setPointerCapture(e.pointerId);
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (from !== null) {
        this.band = [from, e.offsetX];
        this.draw();
      }
    });
    this.canvas.addEventListener("pointerup", (e) => {
      if (from !== null && Math.abs(e.offsetX - from) > 8) {
        this.zoom([this.xAt(from), at(e)].sort((a, b) => a - b));
      } else if (this.cursorMoved) {
        this.cursorMoved(at(e));
      }
      from = null;
      this.band = null;
      this.draw();
    });
    this.canvas.addEventListener("dblclick", () => {
      this.zoom(null);
    });
    this.canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      const [a, b] = this.limits();
      const c = at(e);
      const f = Math.exp(0.0015 * e.deltaY);
      const ends = [c + (a - c) * f, c + (b - c) * f];
      const [low, high] = this.whole();
      this.zoom(ends[1] - ends[0] >= high - low ? null : [Math.max(low, ends[0]), Math.min(high, ends[1])]);
    }, { passive: false });
  }

  // Show a range of x, null: all; with the other plots where they share it.
  zoom(range) {
    if (this.options.share) {
      this.options.share(range);
    } else {
      this.range = range;
      this.draw();
    }
  }

  // Rotation vectors and Euler angles jump by about a turn; no line is drawn there.
  jumps(i) {
    const vector = this.unit === "rad" && this.series.length === 3;
    return vector && i > 0 && Math.hypot(...this.series.map((s) => s.y[i] - s.y[i - 1])) > 1.5 * Math.PI;
  }

  tx(v) {
    return this.options.logX ? Math.log10(v) : v;
  }

  ty(v) {
    return this.options.log ? Math.log10(v) : v;
  }

  whole() {
    this.ends = this.ends || this.findWhole();
    return this.ends;
  }

  findWhole() {
    let low = Infinity;
    let high = -Infinity;
    for (const v of this.x) {
      low = Math.min(low, this.tx(v));
      high = Math.max(high, this.tx(v));
    }
    const pad = this.options.marks || this.options.pad ? 0.03 * (high - low) : 0;
    return high > low ? [low - pad, high + pad] : [low - 0.5, low + 0.5];
  }

  limits() {
    return this.range || this.whole();
  }

  xAt(px) {
    const [a, b] = this.limits();
    const { left, width } = this.frame();
    return a + ((b - a) * (px - left)) / width;
  }

  frame() {
    const w = this.canvas.clientWidth;
    const h = this.canvas.clientHeight;
    return { left: 62, top: 8, width: Math.max(10, w - 74), height: Math.max(10, h - 46), w, h };
  }

  // Smallest and largest value of the curves that are shown, within the limits of x.
  bounds(a, b) {
    let low = Infinity;
    let high = -Infinity;
    for (const s of this.series) {
      const x = s.x || this.x;
      for (let i = 0; s.shown && i < x.length; ++i) {
        const v = this.ty(s.y[i]);
        if (this.tx(x[i]) >= a && this.tx(x[i]) <= b && Number.isFinite(v)) {
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
      }
    }
    if (!(high >= low)) {
      return [0, 1];
    }
    const pad = high > low ? 0.06 * (high - low) : Math.max(1e-12, 0.1 * Math.abs(high) || 1);
    return [low - pad, high + pad];
  }

  draw() {
    const { left, top, width, height, w, h } = this.frame();
    if (w === 0) {
      return;
    }
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(w * ratio);
    this.canvas.height = Math.round(h * ratio);
    const c = this.canvas.getContext("2d");
    const style = getComputedStyle(this.canvas);
    c.scale(ratio, ratio);
    c.font = "11px system-ui, sans-serif";
    const [a, b] = this.limits();
    const [low, high] = this.bounds(a, b);
    const px = (x) => left + ((this.tx(x) - a) / (b - a)) * width;
    const py = (y) => top + height - ((this.ty(y) - low) / (high - low)) * height;
    this.axes(c, style, [a, b], [low, high]);
    c.save();
    c.beginPath();
    c.rect(left, top, width, height);
    c.clip();
    for (const s of this.series) {
      if (s.shown) {
        this.curve(c, s, px, py, a, b);
      }
    }
    c.restore();
    c.fillStyle = "rgba(128,128,128,.25)";
    if (this.band) {
      c.fillRect(this.band[0], top, this.band[1] - this.band[0], height);
    }
    this.drawCursor();
  }

  axes(c, style, [a, b], [low, high]) {
    const { left, top, width, height } = this.frame();
    c.strokeStyle = style.getPropertyValue("--line");
    c.fillStyle = style.color;
    c.lineWidth = 1;
    const tx = (this.options.logX ? logTicks : ticks)(a, b, Math.max(2, width / 64));
    const ty = (this.options.log ? logTicks : ticks)(low, high, Math.max(2, height / 32));
    const label = (v, step, log) => (log ? String(Number((10 ** v).toPrecision(2)).toExponential()) : number(v, step));
    c.textAlign = "center";
    c.textBaseline = "top";
    c.beginPath();
    for (const v of tx.at) {
      const x = Math.round(left + ((v - a) / (b - a)) * width) + 0.5;
      c.moveTo(x, top);
      c.lineTo(x, top + height);
      c.fillText(label(v, tx.step, this.options.logX), x, top + height + 5);
    }
    c.fillText(this.options.xName || "time [s]", left + 0.5 * width, top + height + 20);
    c.textAlign = "right";
    c.textBaseline = "middle";
    // values that hardly differ are written as a base and the rest
    const base = !this.options.log && ty.step < 1e-5 * Math.abs(high) ? ty.at[0] : 0;
    for (const v of ty.at) {
      const y = Math.round(top + height - ((v - low) / (high - low)) * height) + 0.5;
      c.moveTo(left, y);
      c.lineTo(left + width, y);
      c.fillText(base ? (v - base).toExponential(1) : label(v, ty.step, this.options.log), left - 5, y);
    }
    c.stroke();
    this.base.textContent = base ? ` ${Number(base.toPrecision(9))} + ...` : "";
  }

  // Where there are many points to a pixel, only the first, lowest, highest and last of what falls on it, in that order
  // or with the middle two exchanged, as they came.
  curve(c, s, px, py, a, b) {
    const x = s.x || this.x;
    c.strokeStyle = c.fillStyle = `rgb(${s.colour.map((v) => Math.round(255 * v)).join(",")})`;
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    c.beginPath();
    const many = x.length > 4 * this.canvas.clientWidth;
    let column = null; // {x, low, high, last, down}
    const flush = () => {
      if (column) {
        const { low, high, last, down } = column;
        for (const y of down ? [high, low, last] : [low, high, last]) {
          c.lineTo(column.x, y);
        }
      }
      column = null;
    };
    let pen = false;
    for (let i = 0; i < x.length; ++i) {
      if (!Number.isFinite(this.ty(s.y[i])) || (i + 1 < x.length && this.tx(x[i + 1]) < a) || (i > 0 && this.tx(x[i - 1]) > b)) {
        flush();
        pen = false;
        continue;
      }
      const X = px(x[i]);
      const Y = py(s.y[i]);
      if (!pen || this.jumps(i)) {
        flush();
        c.moveTo(X, Y);
        pen = true;
      } else if (many && column && X - column.x < 0.5) {
        column.down = Y < column.low ? true : Y > column.high ? false : column.down;
        column.low = Math.min(column.low, Y);
        column.high = Math.max(column.high, Y);
        column.last = Y;
      } else {
        flush();
        column = { x: X, low: Y, high: Y, last: Y, down: false };
      }
    }
    flush();
    c.stroke();
    for (let i = 0; this.options.marks && i < x.length; ++i) {
      c.beginPath();
      c.arc(px(x[i]), py(s.y[i]), 3, 0, 7);
      c.fill();
    }
  }

  // Of all values; what is far below is rounding.
  largest() {
    return this.series.reduce((top, s) => s.y.reduce((m, v) => (Math.abs(v) > m ? Math.abs(v) : m), top), 0);
  }

  // The values under the cursor go to the legend.
  moveCursor(t) {
    this.cursor = t;
    this.noise = this.noise === undefined ? 1e-13 * this.largest() : this.noise;
    this.series.forEach((s, k) => {
      const x = s.x || this.x;
      const i = x.length > 1 ? interval(x, t) : 0;
      const w = x.length > 1 ? Math.min(1, Math.max(0, (t - x[i]) / (x[i + 1] - x[i]))) : 0;
      const v = w > 0 ? s.y[i] + w * (s.y[i + 1] - s.y[i]) : s.y[i];
      this.labels[k].textContent = Number.isFinite(v) ? shortNumber(!this.options.log && Math.abs(v) < this.noise ? 0 : v) : "";
    });
    this.drawCursor();
  }

  // A line over the canvas, so that the curves need not be drawn again.
  drawCursor() {
    const [a, b] = this.limits();
    const { left, width } = this.frame();
    const inside = this.cursor !== null && this.cursor >= a && this.cursor <= b;
    this.line.style.display = inside ? "block" : "none";
    if (inside) {
      this.line.style.transform = `translateX(${left + ((this.cursor - a) / (b - a)) * width}px)`;
    }
  }
}

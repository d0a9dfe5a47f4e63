// Everything beside the picture: the tree of elements, what was picked, and the pages of text. Text of a model only
// ever becomes textContent: nothing of it is read as HTML.

function element(tag, className, parent) {
  const e = document.createElement(tag);
  if (className) {
    e.className = className;
  }
  if (parent) {
    parent.appendChild(e);
  }
  return e;
}

function button(parent, text, title, action) {
  const b = element("button", "", parent);
  b.type = "button";
  b.textContent = text;
  b.title = title;
  b.addEventListener("click", action);
  return b;
}

// Rows of two texts; a third says that the row stands out.
function table(parent, rows) {
  const t = element("table", "", parent);
  for (const [name, value, mark] of rows) {
    const r = element("tr", mark ? "marked" : "", t);
    element("th", "", r).textContent = name;
    element("td", "", r).textContent = value;
  }
  return t;
}

// The tree: bodies, joints, forces with what is wrong about them. chosen(kind, index) when one is clicked.
class Tree {
  constructor(parent, scene, chosen) {
    this.items = { bodies: [], joints: [], forces: [] };
    for (const kind of Object.keys(this.items)) {
      const list = scene[kind];
      const visible = list.filter((e) => !e.hidden || kind === "joints").length;
      if (visible === 0) {
        continue;
      }
      const group = element("details", "", parent);
      group.open = visible <= 60;
      element("summary", "", group).textContent = `${kind} (${visible})`;
      list.forEach((e, i) => {
        if (!e.hidden || kind === "joints") {
          this.items[kind][i] = this.item(group, kind, i, e, chosen);
        }
      });
    }
  }

  // The joint that is open most comes into sight.
  showWorst(joints) {
    const gaps = joints.map((j) => j.gap || 0);
    const worst = gaps.indexOf(Math.max(...gaps, 0));
    if (worst >= 0 && gaps[worst] > 0 && this.items.joints[worst]) {
      this.items.joints[worst].parentNode.open = true;
      this.items.joints[worst].scrollIntoView({ block: "nearest" });
    }
  }

  item(group, kind, index, e, chosen) {
    const b = button(group, "", e.type, () => chosen(kind, index));
    b.className = "item";
    element("span", "", b).textContent = e.name;
    element("small", "", b).textContent = e.type;
    if (e.gap || e.redundant) {
      const mark = element("em", e.gap ? "open" : "redundant", b);
      mark.textContent = e.gap ? `open by ${shortNumber(e.gap)}` : "redundant";
    }
    return b;
  }

  select(kind, index) {
    for (const list of Object.values(this.items)) {
      list.forEach((b) => b.classList.remove("selected"));
    }
    const b = kind && this.items[kind][index];
    if (b) {
      b.classList.add("selected");
      b.scrollIntoView({ block: "nearest" });
    }
  }
}

// Numbers of what was picked, at the time of the animation.
class Inspector {
  constructor(parent, page, motion, plots) {
    this.parent = parent;
    this.page = page;
    this.motion = motion;
    this.plots = plots;
    this.what = null;
  }

  show(what) {
    this.what = what;
    this.parent.replaceChildren();
    this.cells = null;
    if (!what) {
      element("p", "hint", this.parent).textContent = "Click a part of the mechanism, or a name in the list.";
      return;
    }
    const e = this.page.scene[what[0]][what[1]];
    element("h3", "", this.parent).textContent = e.name;
    table(this.parent, [["type", e.type], ...(e.info || [])]);
    this.live = table(this.parent, []);
    this.update();
  }

  // Rows that change: place and rotation of a body, force and torque of a joint, outputs of its name.
  rows() {
    const [kind, index] = this.what;
    const e = this.page.scene[kind][index];
    const out = [];
    const text = (v) => v.map((x) => shortNumber(x)).join("  ");
    if (kind === "bodies") {
      const f = this.motion.frame(index);
      out.push(["position [m]", text(f.slice(0, 3))], ["quaternion", text(f.slice(3))]);
    }
    this.motion.blendWrenches();
    this.page.scene.wrenches.forEach((w, k) => {
      if (`${w.of}s` === kind && w.index === index && this.motion.loads) {
        const a = Array.from(this.motion.wrench.subarray(8 * k, 8 * k + 8));
        out.push(["force [N]", text(a.slice(0, 3))], ["torque [N m]", text(a.slice(4, 7))]);
      }
    });
    for (const s of this.plots.series) {
      if (s.name.startsWith(`${e.name}.`)) {
        out.push([s.unit && s.unit !== "1" ? `${s.name} [${s.unit}]` : s.name, shortNumber(this.plots.valueAt(s, this.motion.now))]);
      }
    }
    return out;
  }

  update() {
    if (!this.what) {
      return;
    }
    const rows = this.rows();
    if (!this.cells || this.cells.length !== rows.length) {
      this.live.replaceChildren();
      this.cells = rows.map(([name]) => {
        const r = element("tr", "", this.live);
        element("th", "", r).textContent = name;
        return element("td", "", r);
      });
    }
    rows.forEach(([, value], k) => {
      this.cells[k].textContent = value;
    });
  }
}

// The pages of text behind the tabs.
function writePages(parent, page) {
  const tabs = element("nav", "tabs", parent);
  const pages = element("div", "pages", parent);
  const add = (name, fill) => {
    const body = element("div", "page", pages);
    fill(body);
    const tab = button(tabs, name, "", () => {
      [...pages.children].forEach((p) => p.classList.toggle("shown", p === body));
      [...tabs.children].forEach((t) => t.classList.toggle("selected", t === tab));
    });
    return tab;
  };
  const first = add("summary", (p) => {
    table(p, page.summary || []);
  });
  if (page.warnings && page.warnings.length > 0) {
    add(`warnings (${page.warnings.length})`, (p) => {
      const list = element("ul", "warnings", p);
      page.warnings.forEach((w) => {
        element("li", "", list).textContent = w;
      });
    }).classList.add("alert");
  }
  if (page.options && page.options.length > 0) {
    add("options", (p) => table(p, page.options));
  }
  if (page.source) {
    add("model", (p) => {
      element("pre", "", p).textContent = page.source;
    });
  }
  // of a mechanism that stands still, what is wrong with it is what one wants to know
  (page.scene && !page.motion && tabs.querySelector(".alert") ? tabs.querySelector(".alert") : first).click();
}

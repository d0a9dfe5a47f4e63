// Puts the page together.

const KEYS = [
  ["space", "play or pause"], ["left, right", "step"], ["Home, End", "start, end"], ["+, -", "speed"], ["l", "loop"],
  ["f", "fit"], ["o", "orthographic or perspective"], ["1, 2, 3", "look along x, y, z"], ["g", "grid"], ["b, j", "bodies, joints"],
  ["r", "reactions"], ["a", "loads"], ["c", "contacts"], ["t", "trails"], ["d", "dark or light"], ["Esc", "nothing selected"],
];

class App {
  constructor(page) {
    this.page = page;
    document.title = `${page.name} - dalembert`;
    this.header();
    this.cost = [];
    if (page.scene) {
      this.build();
    } else {
      document.body.classList.add("textual");
    }
    const plots = document.getElementById("plots");
    this.study = page.study ? studyPlots(plots, page.study) : null;
    this.charts = page.charts ? chartPlots(plots, page.charts) : null;
    this.tree();
    this.setDark(matchMedia("(prefers-color-scheme: dark)").matches);
    this.listen();
    requestAnimationFrame((ms) => this.frame(ms));
  }

  header() {
    const head = document.getElementById("head");
    element("h1", "", head).textContent = this.page.name;
    element("p", "", head).textContent = this.page.title || "";
    const tools = element("div", "tools", head);
    this.tools = tools;
    if (this.page.scene) {
      button(tools, "fit", "fit everything (f)", () => this.fit());
      this.flat = button(tools, "ortho", "orthographic or perspective (o)", () => this.toggleFlat());
      button(tools, "PNG", "save this picture", () => this.savePicture());
      button(tools, "WebM", "save a movie", () => this.saveMovie());
    }
    button(tools, "◐", "dark or light (d)", () => this.setDark(!this.dark));
  }

  build() {
    const { page } = this;
    this.motion = new Motion(page.scene, page.motion);
    this.picture = new Picture(document.getElementById("canvas"), page, this.motion);
    this.curves = new Curves(document.getElementById("plots"), page.plots, (t) => this.player.seek(t));
    this.inspector = new Inspector(document.getElementById("inspector"), page, this.motion, this.curves);
    this.player = new Player(document.getElementById("player"), this.motion, () => this.moved(), page.chapters, page.events);
    document.body.classList.toggle("still", !page.motion);
    document.body.classList.toggle("plotless", !page.plots && !page.study && !page.charts);
    this.layerButtons();
    this.inspector.show(null);
    steer(this.picture.renderer.canvas, this.picture.camera, () => this.touch(), (x, y) => this.pickAt(x, y));
    this.dirty = true;
    this.curves.moveCursor(this.player.time);
  }

  layerButtons() {
    const bar = document.getElementById("layers");
    const { layers } = this.picture;
    this.layerButton = {};
    for (const name of Object.keys(layers)) {
      if (!this.picture.offered.has(name)) {
        continue;
      }
      this.layerButton[name] = button(bar, name, `show or hide: ${name}`, () => this.toggleLayer(name));
    }
    if (this.layerButton.reactions || this.layerButton.loads || this.layerButton.contacts) {
      const label = element("label", "arrows", bar);
      label.textContent = "arrows";
      const scale = element("input", "", label);
      scale.type = "range";
      scale.min = -2;
      scale.max = 2;
      scale.step = 0.05;
      scale.value = 0;
      scale.title = "length of the arrows";
      scale.setAttribute("aria-label", "length of the arrows");
      scale.addEventListener("input", () => {
        this.picture.arrowScale = 10 ** Number(scale.value);
        this.touch();
      });
    }
    if (this.motion.section) {
      this.colourChoice(bar);
    }
    this.showLayers();
  }

  // What beams are coloured by, and the values that stand for blue and red.
  colourChoice(bar) {
    const { motion } = this;
    const choice = element("select", "colouring", bar);
    choice.title = "what beams are coloured by";
    choice.setAttribute("aria-label", "what beams are coloured by");
    element("option", "", choice).textContent = "beams as they are";
    SECTION.forEach(([name]) => {
      element("option", "", choice).textContent = name;
    });
    const legend = element("span", "legend", bar);
    choice.addEventListener("change", () => {
      const k = choice.selectedIndex - 1;
      motion.colourBy(k);
      const top = k >= 0 ? shortNumber(motion.sectionUnit[k]) : "";
      legend.textContent = k >= 0 ? `blue -${top}, red ${top} ${SECTION[k][1]}` : "";
      this.touch();
    });
  }

  showLayers() {
    for (const [name, b] of Object.entries(this.layerButton)) {
      b.setAttribute("aria-pressed", String(this.picture.layers[name]));
    }
    this.touch();
  }

  toggleLayer(name) {
    this.picture.layers[name] = !this.picture.layers[name];
    this.showLayers();
  }

  tree() {
    const side = document.getElementById("side");
    if (this.page.scene) {
      this.list = new Tree(document.getElementById("tree"), this.page.scene, (kind, i) => this.select(kind, i));
      this.list.showWorst(this.page.scene.joints);
    }
    writePages(document.getElementById("text"), this.page);
    const help = element("details", "help", side);
    element("summary", "", help).textContent = "keys";
    table(help, KEYS);
  }

  // ---- what the user does

  touch() {
    this.dirty = true;
  }

  moved() {
    this.dirty = true;
    this.curves.moveCursor(this.player.time);
  }

  fit() {
    this.picture.fit();
    this.touch();
  }

  toggleFlat() {
    this.picture.camera.flat = !this.picture.camera.flat;
    this.touch();
  }

  pickAt(x, y) {
    const what = this.picture.element(this.picture.pick(x, y));
    this.select(...(what || [null, 0]));
    return what;
  }

  select(kind, index) {
    this.picture.selected = kind ? this.picture.idOf(kind, index) : 0;
    this.list.select(kind, index);
    this.inspector.show(kind ? [kind, index] : null);
    this.touch();
  }

  setDark(on) {
    this.dark = on;
    document.documentElement.dataset.theme = on ? "dark" : "light";
    if (this.picture) {
      this.picture.dark = on;
      this.curves.draw();
      this.touch();
    }
    this.drawText();
  }

  // The plots that have nothing to do with the motion.
  drawText() {
    [this.study, this.charts].forEach((p) => p && p.draw());
  }

  savePicture() {
    frameBlob(this.picture, this.player.time).then((blob) => save(blob, `${this.page.name}.png`));
  }

  saveMovie() {
    record(this.picture, this.player, (blob) => save(blob, `${this.page.name}.webm`));
  }

  key(e) {
    const { player, picture } = this;
    const layer = { g: "grid", b: "bodies", j: "joints", r: "reactions", a: "loads", c: "contacts", t: "trails" }[e.key];
    const action = {
      " ": () => player.toggle(),
      ArrowLeft: () => player.step(-1),
      ArrowRight: () => player.step(1),
      Home: () => player.seek(player.start),
      End: () => player.seek(player.end),
      "+": () => player.faster(1),
      "-": () => player.faster(-1),
      l: () => player.setLoop(!player.loop),
      f: () => this.fit(),
      o: () => this.toggleFlat(),
      1: () => picture.camera.lookAlong([1, 0, 0]),
      2: () => picture.camera.lookAlong([0, 1, 0]),
      3: () => picture.camera.lookAlong([0, 0, 1]),
      d: () => this.setDark(!this.dark),
      Escape: () => this.select(null, 0),
    }[e.key];
    if (layer && this.layerButton[layer]) {
      this.toggleLayer(layer);
    } else if (action) {
      action();
      e.preventDefault();
      this.touch();
    }
  }

  listen() {
    window.addEventListener("resize", () => {
      if (this.curves) {
        this.curves.draw();
      }
      this.drawText();
      this.touch();
    });
    window.addEventListener("keydown", (e) => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.key !== "Escape";
      if (this.picture && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) {
        this.key(e);
      }
    });
  }

  // One picture, if anything has changed.
  frame(ms) {
    if (this.picture) {
      const start = performance.now();
      this.player.tick(ms);
      if (this.dirty) {
        this.dirty = false;
        this.picture.draw(this.player.time);
        this.inspector.update();
        this.cost.push(performance.now() - start);
        this.cost = this.cost.slice(-200);
      }
    }
    requestAnimationFrame((next) => this.frame(next));
  }
}

try {
  // for tests and for the curious
  window.dalembert = new App(readPage());
} catch (error) {
  element("p", "failure", document.body).textContent = error.message;
  throw error;
}

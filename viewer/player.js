// Time: play, pause, step, speed, loop, and the slider.

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

class Player {
  // chapters: stretches of the motion to choose from; events: what happened; both may be absent
  constructor(parent, motion, moved, chapters, events) {
    this.motion = motion;
    this.moved = moved;
    this.start = chapters ? chapters[0].from : motion.start;
    this.end = chapters ? chapters[0].to : motion.end;
    this.time = this.start;
    this.playing = false;
    this.loop = true;
    this.speed = chapters ? 1 : this.sensibleSpeed();
    this.last = null;
    this.play = button(parent, "▶", "play or pause (space)", () => this.toggle());
    button(parent, "⇤", "to the start (Home)", () => this.seek(this.start));
    button(parent, "‹", "one picture back (left)", () => this.step(-1));
    button(parent, "›", "one picture on (right)", () => this.step(1));
    this.line = element("span", "timeline", parent);
    this.slider = element("input", "time", this.line);
    this.slider.type = "range";
    this.slider.min = 0;
    this.slider.max = 10000;
    this.slider.setAttribute("aria-label", "time");
    this.slider.addEventListener("input", () => this.seek(this.start + (this.slider.value / 10000) * this.length));
    this.clock = element("output", "clock", parent);
    this.pace = element("select", "", parent);
    this.pace.title = "speed (+ and -)";
    for (const s of SPEEDS) {
      const o = element("option", "", this.pace);
      o.value = s;
      o.textContent = `${s}×`;
    }
    this.pace.value = this.speed;
    this.pace.addEventListener("change", () => {
      this.speed = Number(this.pace.value);
    });
    this.again = button(parent, "⟳", "loop (l)", () => this.setLoop(!this.loop));
    this.setLoop(true);
    this.mark(events || []);
    if (chapters) {
      this.chooser(parent, chapters);
    }
    this.show();
  }

  // A mark for what happened at a time; what happens together has one, a press goes there.
  mark(events) {
    const texts = new Map();
    for (const e of events) {
      texts.set(e.t, texts.has(e.t) ? `${texts.get(e.t)}, ${e.text}` : e.text);
    }
    for (const [t, text] of this.length > 0 ? texts : []) {
      const m = element("span", "mark", this.line);
      m.style.left = `${(100 * (t - this.start)) / this.length}%`;
      m.title = `${t.toPrecision(6)} s: ${text}`;
      m.addEventListener("click", () => this.seek(t));
    }
  }

  chooser(parent, chapters) {
    this.choice = element("select", "chapters", parent);
    this.choice.title = "what is played";
    chapters.forEach((c, i) => {
      const o = element("option", "", this.choice);
      o.value = i;
      o.textContent = c.name;
    });
    this.choice.addEventListener("change", () => this.choose(chapters[Number(this.choice.value)]));
  }

  choose(chapter) {
    this.start = chapter.from;
    this.end = chapter.to;
    this.seek(this.start);
  }

  get length() {
    return this.end - this.start;
  }

  // The motion should take between 2 and 20 seconds to look at.
  sensibleSpeed() {
    const t = this.length;
    return SPEEDS.find((s) => t / s <= 20 && t / s >= 2) || (t < 2 ? SPEEDS.filter((s) => t / s >= 2).pop() || 0.01 : 10);
  }

  setLoop(on) {
    this.loop = on;
    this.again.setAttribute("aria-pressed", String(on));
  }

  toggle() {
    if (this.length <= 0) {
      return;
    }
    this.playing = !this.playing;
    this.last = null;
    if (this.playing && this.time >= this.end) {
      this.seek(this.start);
    }
    this.show();
  }

  faster(by) {
    const k = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, k))];
    this.pace.value = this.speed;
  }

  step(by) {
    this.playing = false;
    const pictures = Math.max(1, this.motion.t.length - 1);
    this.seek(this.time + (by * this.length) / Math.min(pictures, 600));
  }

  seek(t) {
    this.time = Math.max(this.start, Math.min(this.end, t));
    this.show();
    this.moved(this.time);
  }

  // Called for every picture; ms: the browser's clock.
  tick(ms) {
    if (this.playing && this.last !== null) {
      let t = this.time + (this.speed * Math.min(100, ms - this.last)) / 1000;
      if (t > this.end) {
        t = this.loop ? this.start : this.end;
        this.playing = this.loop;
      }
      this.seek(t);
    }
    this.last = ms;
  }

  show() {
    this.play.textContent = this.playing ? "❚❚" : "▶";
    if (this.length > 0) {
      this.slider.value = Math.round((10000 * (this.time - this.start)) / this.length);
    }
    this.clock.textContent = `${this.time.toFixed(this.length < 1 ? 4 : 3)} s`;
  }
}

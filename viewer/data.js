// The data of the page: decoding, and the motion at any time between its samples.

function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) {
    bytes[i] = binary.charCodeAt(i);
  }
  return bytes.buffer;
}

const doubles = (text) => new Float64Array(bytesOf(text));
const floats = (text) => new Float32Array(bytesOf(text));
const shorts = (text) => new Int16Array(bytesOf(text));
const wholes = (text) => new Uint32Array(bytesOf(text));

function readPage() {
  return JSON.parse(document.getElementById("data").textContent);
}

// The last i with x[i] <= value, 0 <= i <= x.length - 2.
function interval(x, value) {
  let low = 0;
  let high = x.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// Vectors of three in 16 bits, each in units of its own.
function unpack(packed, unit) {
  const out = new Float32Array(packed.length);
  for (let i = 0; i < packed.length; ++i) {
    out[i] = (packed[i] / 32767) * unit[Math.floor(i / 3) % unit.length];
  }
  return out;
}

function flexible(f, body) {
  const nodes = floats(f.nodes);
  return { body, nodes, n: nodes.length / 3, shapes: floats(f.shapes), triangles: f.triangles ? wholes(f.triangles) : [],
    modes: f.modes, first: f.first, at: 0 };
}

// What beams may be coloured by, in the order of motion.section.
const SECTION = [["axial force", "N"], ["shear force y", "N"], ["shear force z", "N"], ["torque", "N m"], ["bending moment y", "N m"],
  ["bending moment z", "N m"], ["extension", "1"], ["shear y", "1"], ["shear z", "1"], ["twist", "rad/m"], ["curvature y", "1/m"],
  ["curvature z", "1/m"]];

// A beam with an outline: a ring of corners at each of its stations, which are nodes.
function swept(b) {
  const body = wholes(b.bodies);
  return { name: b.name, colour: b.colour, body: Array.from(body, (x) => x | 0), n: body.length, corners: b.corners,
    frames: floats(b.frames), outlines: floats(b.outlines), at: 0, first: 0 };
}

// Contacts that press: how many in each sample, and where they begin in the list of places and forces.
function contacts(motion) {
  const count = wholes(motion.contacts);
  const first = new Uint32Array(count.length);
  for (let i = 1; i < count.length; ++i) {
    first[i] = first[i - 1] + count[i - 1];
  }
  return { count, first, x: floats(motion.contact) };
}

// Positions and rotations of all bodies over time. Without samples the initial pose stands for all times.
class Motion {
  constructor(scene, motion) {
    this.count = scene.bodies.length;
    this.wrenches = scene.wrenches.length;
    const still = !motion;
    this.t = still ? new Float64Array([0]) : doubles(motion.t);
    this.x = still ? Float32Array.from(scene.bodies.flatMap((b) => b.pose.slice(0, 3))) : floats(motion.x);
    this.r = still
      ? Int16Array.from(scene.bodies.flatMap((b) => b.pose.slice(3).map((c) => Math.round(32767 * c))))
      : shorts(motion.r);
    this.loads = motion && motion.wrench ? unpack(shorts(motion.wrench), motion.wrenchUnit) : null;
    this.nmodal = scene.nmodal || 0;
    this.modal = motion && motion.modal ? floats(motion.modal) : new Float32Array(this.nmodal * this.t.length);
    this.beams = scene.bodies.map((b, i) => b.flexible && flexible(b.flexible, i)).filter(Boolean);
    this.first = this.count; // nodes of flexible bodies follow the bodies
    let nodes = 0;
    for (const beam of this.beams) {
      beam.at = this.count + nodes;
      nodes += beam.n;
    }
    this.rods = (scene.beams || []).map(swept);
    this.stations = 0;
    for (const rod of this.rods) {
      rod.at = this.count + nodes;
      rod.first = this.stations;
      nodes += rod.n * rod.corners;
      this.stations += rod.n;
    }
    this.pressing = motion && motion.contacts ? contacts(motion) : null;
    this.slots = this.pressing ? Math.max(0, ...this.pressing.count) : 0; // places of contacts follow the nodes
    this.contactAt = this.count + nodes;
    nodes += this.slots;
    this.section = motion && motion.section ? shorts(motion.section) : null;
    this.sectionUnit = motion && motion.section ? motion.sectionUnit : [];
    this.coloured = -1; // by which of SECTION
    // two texels per body, node or contact: position, rotation; per wrench, then per contact: force, torque
    this.pose = new Float32Array(8 * Math.max(1, this.count + nodes));
    this.wrench = new Float32Array(8 * Math.max(1, this.wrenches + this.slots));
    this.eta = new Float32Array(Math.max(1, this.nmodal));
    this.now = NaN;
    this.moveTo(this.t[0]);
  }

  get start() {
    return this.t[0];
  }

  get end() {
    return this.t[this.t.length - 1];
  }

  // Everything at time t: positions on a straight line between two samples, rotations on an arc.
  moveTo(t) {
    if (t === this.now) {
      return;
    }
    this.now = t;
    const n = this.count;
    const last = this.t.length - 1;
    const i = last > 0 ? interval(this.t, t) : 0;
    const k = last > 0 ? i + 1 : 0;
    const w = k > i ? Math.min(1, Math.max(0, (t - this.t[i]) / (this.t[k] - this.t[i]))) : 0;
    const { x, r, pose } = this;
    for (let b = 0, xa = 3 * n * i, xb = 3 * n * k, ra = 4 * n * i, rb = 4 * n * k, p = 0; b < n; ++b) {
      pose[p] = x[xa] + w * (x[xb] - x[xa]);
      pose[p + 1] = x[xa + 1] + w * (x[xb + 1] - x[xa + 1]);
      pose[p + 2] = x[xa + 2] + w * (x[xb + 2] - x[xa + 2]);
      const c = r[ra] * r[rb] + r[ra + 1] * r[rb + 1] + r[ra + 2] * r[rb + 2] + r[ra + 3] * r[rb + 3];
      const v = c < 0 ? -w : w;
      const q0 = r[ra] * (1 - w) + r[rb] * v;
      const q1 = r[ra + 1] * (1 - w) + r[rb + 1] * v;
      const q2 = r[ra + 2] * (1 - w) + r[rb + 2] * v;
      const q3 = r[ra + 3] * (1 - w) + r[rb + 3] * v;
      const s = 1 / Math.sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3 || 1);
      pose[p + 4] = q0 * s;
      pose[p + 5] = q1 * s;
      pose[p + 6] = q2 * s;
      pose[p + 7] = q3 * s;
      xa += 3;
      xb += 3;
      ra += 4;
      rb += 4;
      p += 8;
    }
    this.between = [i, k, w];
    this.blended = false;
    for (let m = 0; m < this.nmodal; ++m) {
      const a = this.modal[this.nmodal * i + m];
      this.eta[m] = a + w * (this.modal[this.nmodal * k + m] - a);
    }
    for (const beam of this.beams) {
      this.bend(beam);
    }
    for (const rod of this.rods) {
      this.sweep(rod);
    }
    this.press(w < 0.5 ? i : k);
  }

  // The contacts of sample i; those that are left over are out of sight.
  press(i) {
    for (let s = 0; s < this.slots; ++s) {
      const there = s < this.pressing.count[i];
      const a = 6 * (this.pressing.first[i] + s);
      const x = there ? this.pressing.x.subarray(a, a + 6) : [1e30, 1e30, 1e30, 0, 0, 0];
      this.pose.set([x[0], x[1], x[2], 0, 1, 0, 0, 0], 8 * (this.contactAt + s));
      this.wrench.set([x[3], x[4], x[5]], 8 * (this.wrenches + s));
    }
  }

  // Corners of the sections of a beam, and the quantity that it is coloured by in parts of its largest value.
  sweep(rod) {
    const [i, k, w] = this.between;
    const { pose } = this;
    for (let s = 0; s < rod.n; ++s) {
      const frame = compose(this.frame(rod.body[s]), Array.from(rod.frames.subarray(7 * s, 7 * s + 7)));
      const j = (x) => SECTION.length * (this.stations * x + rod.first + s) + this.coloured;
      const a = this.coloured >= 0 && this.section ? this.section[j(i)] : 0;
      const value = this.coloured >= 0 && this.section ? (a + w * (this.section[j(k)] - a)) / 32767 : 0;
      for (let c = 0; c < rod.corners; ++c) {
        const o = 2 * (rod.corners * s + c);
        const x = apply(frame, [0, rod.outlines[o], rod.outlines[o + 1]]);
        const p = 8 * (rod.at + rod.corners * s + c);
        pose[p] = x[0];
        pose[p + 1] = x[1];
        pose[p + 2] = x[2];
        pose[p + 3] = value;
      }
    }
  }

  // Colour beams by a quantity of SECTION, -1: by none.
  colourBy(which) {
    this.coloured = which;
    for (const rod of this.rods) {
      this.sweep(rod);
    }
  }

  // Nodes of a flexible body: where they are without load plus the sum of shapes times modal coordinates.
  bend(beam) {
    const frame = this.frame(beam.body);
    for (let k = 0; k < beam.n; ++k) {
      const u = [beam.nodes[3 * k], beam.nodes[3 * k + 1], beam.nodes[3 * k + 2]];
      for (let m = 0; m < beam.modes; ++m) {
        const s = 3 * (k + m * beam.n);
        const eta = this.eta[beam.first + m];
        u[0] += eta * beam.shapes[s];
        u[1] += eta * beam.shapes[s + 1];
        u[2] += eta * beam.shapes[s + 2];
      }
      this.pose.set([...apply(frame, u), 0, 1, 0, 0, 0], 8 * (beam.at + k));
    }
  }

  // Forces and torques now, into texels of four; only when somebody looks at them.
  blendWrenches() {
    if (this.blended || !this.loads) {
      return;
    }
    this.blended = true;
    const [i, k, w] = this.between;
    const { loads: from, wrench: to, wrenches: n } = this;
    for (let j = 0, a = 6 * n * i, b = 6 * n * k, p = 0; j < n; ++j, a += 6, b += 6, p += 8) {
      for (let c = 0; c < 3; ++c) {
        to[p + c] = from[a + c] + w * (from[b + c] - from[a + c]);
        to[p + 4 + c] = from[a + 3 + c] + w * (from[b + 3 + c] - from[a + 3 + c]);
      }
    }
  }

  // Where body b is now, as a frame; -1 is the ground.
  frame(b) {
    const p = 8 * b;
    const a = this.pose;
    return b < 0 ? [0, 0, 0, 1, 0, 0, 0] : [a[p], a[p + 1], a[p + 2], a[p + 4], a[p + 5], a[p + 6], a[p + 7]];
  }

  // Path of a point of a body over all samples: x, y, z one after the other.
  path(b, point) {
    const out = new Float32Array(3 * this.t.length);
    for (let i = 0; i < this.t.length; ++i) {
      const at = this.count * i + b;
      const q = Array.from(this.r.subarray(4 * at, 4 * at + 4), (c) => c / 32767);
      out.set(add(Array.from(this.x.subarray(3 * at, 3 * at + 3)), rotate(q, point)), 3 * i);
    }
    return out;
  }

  // Does everything move in planes of constant z and turn about z?
  inPlane(size) {
    const { x, r, count } = this;
    let moves = false;
    for (let i = 0; i < x.length / 3; ++i) {
      const first = i % count;
      if (Math.abs(x[3 * i + 2] - x[3 * first + 2]) > 1e-4 * size || Math.abs(r[4 * i + 1]) > 8 || Math.abs(r[4 * i + 2]) > 8) {
        return false;
      }
      moves = moves || Math.hypot(x[3 * i] - x[3 * first], x[3 * i + 1] - x[3 * first + 1]) > 1e-3 * size ||
        Math.abs(r[4 * i + 3] - r[4 * first + 3]) > 100;
    }
    return moves;
  }
}

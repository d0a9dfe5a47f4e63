// From the description of the mechanism to instances of solids, and the state of the picture.

// Okabe and Ito: told apart by everybody.
const PALETTE = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [213, 94, 0], [240, 228, 66]]
  .map((c) => c.map((x) => x / 255));
const STEEL = [0.45, 0.48, 0.52, 1];
const OPEN = [0.86, 0.08, 0.1, 1];
const REDUNDANT = [0.95, 0.55, 0.05, 1];
const FORCE = [0.75, 0.12, 0.12, 1];
const TORQUE = [0.45, 0.2, 0.65, 1];
const LOAD = [0.1, 0.5, 0.2, 1];
const CONTACT = [0.9, 0.35, 0, 1];

function rgba(text, opacity, fallback) {
  const m = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text || "");
  const c = m ? [1, 2, 3].map((k) => parseInt(m[k], 16) / 255) : fallback;
  return [...c.slice(0, 3), opacity === undefined ? 1 : opacity];
}

// Collects instances by kind of solid and layer, then hands each collection to the renderer once.
class Instances {
  constructor(extent, meshes) {
    this.lists = new Map();
    this.extent = extent;
    this.boxes = meshes.map((m) => boxOf(floats(m.positions)));
  }

  // Half the size of a solid at a scale, for the extent.
  half(name, scale) {
    if (name.startsWith("mesh")) {
      const [low, high] = this.boxes[Number(name.slice(4))];
      return [0, 1, 2].map((k) => scale[k] * Math.max(Math.abs(low[k]), Math.abs(high[k])));
    }
    const k = { box: [0.5, 0.5, 0.5], sphere: [1, 1, 1] }[name] || [1, 1, 0.5];
    return scale.map((s, i) => s * k[i]);
  }

  list(kind, name, layer, clear) {
    const key = `${kind} ${name} ${layer} ${clear}`;
    if (!this.lists.has(key)) {
      this.lists.set(key, { kind, name, layer, clear, data: [] });
    }
    return this.lists.get(key).data;
  }

  rigid(name, body, frame, scale, colour, id, layer = "bodies") {
    if (layer === "bodies" || colour[3] === 1) {
      this.extent.addBox(body, frame, this.half(name, scale));
    }
    this.list("rigid", name, layer, colour[3] < 1).push(...frame.slice(0, 3), body, ...frame.slice(3), ...scale, id, ...colour);
  }

  span(name, a, pa, b, pb, radius, colour, id, layer) {
    this.extent.add(a, pa);
    this.extent.add(b, pb);
    this.list("span", name, layer, false).push(...pa, a, ...pb, b, radius, radius, 1, id, ...colour);
  }

  patch(a, b, c, colour, id, layer, tinted = 0) {
    this.list("patch", "patch", layer, false).push(a, b, c, tinted, 0, 0, 0, 0, 0, 0, 0, id, ...colour);
  }

  arrow(name, body, point, texel, torque, colour, id, layer) {
    this.list("arrow", name, layer, false).push(...point, body, texel, torque ? 1 : 0, 0, id, 0, 0, 0, 0, ...colour);
  }

  flush(renderer, meshes) {
    const make = { ...SOLIDS, ...SPANS, ...ARROWS };
    for (const { kind, name, layer, clear, data } of this.lists.values()) {
      const count = data.length / FLOATS;
      const corners = count > 1500 ? 8 : count > 200 ? 16 : 32;
      const shape = name.startsWith("mesh") ? mesh(meshes[Number(name.slice(4))]) : make[name](corners);
      const round = layer === "bodies" && (name === "sphere" || name === "cylinder" || name === "cone");
      renderer.batch(kind, shape, data, layer, { clear, marks: round });
    }
  }
}

// A rod from p to q in the frame of a body.
function rod(inst, body, p, q, radius, colour, id, layer) {
  const d = sub(q, p);
  inst.rigid("cylinder", body, [...scaled(add(p, q), 0.5), ...turnZTo(d)], [radius, radius, norm(d)], colour, id, layer);
}

// ---- bodies

function addShape(inst, s, body, frame, colour, id) {
  const z = (h) => compose(frame, [0, 0, h, 1, 0, 0, 0]);
  switch (s.kind) {
    case "box":
      return inst.rigid("box", body, frame, s.size, colour, id);
    case "sphere":
      return inst.rigid("sphere", body, frame, [s.radius, s.radius, s.radius], colour, id);
    case "ellipsoid":
      return inst.rigid("sphere", body, frame, s.semiaxes, colour, id);
    case "cylinder":
      inst.rigid("cylinder", body, frame, [s.radius, s.radius, s.length], colour, id);
      return s.spokes ? addSpokes(inst, s, body, frame, id) : undefined;
    case "cone":
      return inst.rigid("cone", body, frame, [s.radius, s.radius, s.length], colour, id);
    case "capsule":
      inst.rigid("cylinder", body, frame, [s.radius, s.radius, s.length], colour, id);
      inst.rigid("sphere", body, z(s.length / 2), [s.radius, s.radius, s.radius], colour, id);
      return inst.rigid("sphere", body, z(-s.length / 2), [s.radius, s.radius, s.radius], colour, id);
    case "tube":
      s.points.forEach((p, i) => {
        const x = apply(frame, p);
        inst.rigid("sphere", body, [...x, 1, 0, 0, 0], [s.radius, s.radius, s.radius], colour, id);
        if (i > 0) {
          rod(inst, body, apply(frame, s.points[i - 1]), x, s.radius, colour, id, "bodies");
        }
      });
      return undefined;
    case "mesh":
      return inst.rigid(`mesh${s.mesh}`, body, frame, [s.scale || 1, s.scale || 1, s.scale || 1], colour, id);
    default:
      return undefined;
  }
}

function addSpokes(inst, s, body, frame, id) {
  const dark = [0.12, 0.12, 0.14, 1];
  for (let k = 0; k < 6; ++k) {
    const a = (Math.PI * k) / 6;
    const turned = compose(frame, [0, 0, 0, Math.cos(a / 2), 0, 0, Math.sin(a / 2)]);
    inst.rigid("box", body, turned, [1.9 * s.radius, 0.05 * s.radius, 1.06 * s.length], dark, id);
  }
  inst.rigid("ring", body, frame, [s.radius * 0.95, s.radius * 0.95, Math.max(s.length * 4, s.radius * 0.3)], dark, id);
}

function addBodies(inst, page, motion) {
  for (const s of page.scene.shapes || []) {
    addShape(inst, s, -1, s.frame || [0, 0, 0, 1, 0, 0, 0], rgba(s.colour, s.opacity, [0.62, 0.64, 0.67]), 0);
  }
  page.scene.bodies.forEach((b, i) => {
    const colour = PALETTE[i % PALETTE.length];
    for (const s of b.shapes) {
      addShape(inst, s, i, s.frame || [0, 0, 0, 1, 0, 0, 0], rgba(s.colour, s.opacity, colour), i + 1);
    }
  });
  for (const beam of motion.beams) {
    const { radius } = page.scene.bodies[beam.body].flexible;
    for (let k = 0; k < beam.n; ++k) {
      inst.extent.add(beam.body, Array.from(beam.nodes.subarray(3 * k, 3 * k + 3)));
    }
    const colour = rgba(null, 1, PALETTE[beam.body % PALETTE.length]);
    for (let k = 0; k < beam.triangles.length; k += 3) {
      const [a, b, c] = beam.triangles.slice(k, k + 3).map((i) => beam.at + i);
      if (b === c) {
        inst.span("span", a, [0, 0, 0], b, [0, 0, 0], radius, colour, beam.body + 1, "bodies"); // an edge of a frame
      } else {
        inst.patch(a, b, c, colour, beam.body + 1, "bodies");
      }
    }
    for (let k = 0; k + 1 < beam.n && beam.triangles.length === 0; ++k) {
      inst.span("span", beam.at + k, [0, 0, 0], beam.at + k + 1, [0, 0, 0], radius, colour, beam.body + 1, "bodies");
    }
  }
}

// Beams: their sections, swept along.
function addRods(inst, motion) {
  motion.rods.forEach((rod, i) => {
    const colour = rgba(rod.colour, 1, PALETTE[i % PALETTE.length]);
    const m = rod.corners;
    for (let s = 0; s < rod.n; ++s) {
      const ring = rod.at + m * s;
      const id = Math.max(0, rod.body[s] + 1);
      for (let c = 0; c < m; ++c) {
        const o = 2 * (m * s + c);
        const frame = Array.from(rod.frames.subarray(7 * s, 7 * s + 7));
        inst.extent.add(rod.body[s], apply(frame, [0, rod.outlines[o], rod.outlines[o + 1]]));
        const d = (c + 1) % m;
        if (s > 0) {
          inst.patch(ring - m + c, ring + c, ring + d, colour, id, "bodies", 1);
          inst.patch(ring - m + c, ring + d, ring - m + d, colour, id, "bodies", 1);
        }
        if ((s === 0 || s === rod.n - 1) && c > 0 && d > 0) { // the ends are closed
          inst.patch(ring, ring + c, ring + d, colour, id, "bodies", 1);
        }
      }
    }
  });
}

// ---- joints, by type. s: a length; a, b: draw on the frame of A or of B; wide: a length of the mechanism; travel(k):
// how far B goes along axis k of A in the motion.

const PIN = (s, a, b) => {
  b("cylinder", [0.45 * s, 0.45 * s, 2.2 * s]);
  a("ring", [0.7 * s, 0.7 * s, s]);
};
const BALL = (s, a, b) => b("sphere", [0.6 * s, 0.6 * s, 0.6 * s]);
const BLOCK = (s, a, b) => b("box", [1.1 * s, 1.1 * s, 1.1 * s]);
const PLATE = (s, a, b, wide, travel) => {
  const [x, y] = [travel(0), travel(1)];
  const frame = [0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1]), 0, 1, 0, 0, 0];
  a("box", [x[1] - x[0] + 0.2 * wide, y[1] - y[0] + 0.2 * wide, 0.002 * wide], { frame, opacity: 0.12 });
  b("sphere", [0.4 * s, 0.4 * s, 0.4 * s]);
};
const X_TO_Z = [0, 0, 0, Math.SQRT1_2, 0, Math.SQRT1_2, 0]; // z along x
const Y_TO_Z = [0, 0, 0, Math.SQRT1_2, -Math.SQRT1_2, 0, 0]; // z along y

// A rail along axis k of A, as long as the way that B takes.
function rail(name, thick, s, a, travel, k, opacity) {
  const [low, high] = travel(k);
  const length = high - low + 3.2 * s;
  const frame = [0, 0, 0, 1, 0, 0, 0];
  frame[k] = 0.5 * (low + high);
  const scale = [thick, thick, thick];
  scale[k] = length;
  a(name, scale, { frame, opacity });
}

const SLEEVE = (s, a, b, wide, travel) => {
  rail("cylinder", 0.3 * s, s, a, travel, 2, 0.45);
  b("ring", [0.7 * s, 0.7 * s, 2 * s]);
};

const JOINTS = {
  revolute: PIN,
  planar_revolute: PIN,
  spherical: BALL,
  universal: (s, a, b) => {
    a("cylinder", [0.3 * s, 0.3 * s, 2.4 * s], { frame: X_TO_Z });
    b("cylinder", [0.3 * s, 0.3 * s, 2.4 * s], { frame: Y_TO_Z });
    b("sphere", [0.5 * s, 0.5 * s, 0.5 * s]);
  },
  prismatic: (s, a, b, wide, travel) => {
    rail("box", 0.5 * s, s, a, travel, 2, 0.45);
    b("box", [1.1 * s, 1.1 * s, 1.8 * s]);
  },
  planar_prismatic: (s, a, b, wide, travel) => {
    rail("box", 0.4 * s, s, a, travel, 0, 0.45);
    b("box", [1.8 * s, 1.1 * s, 1.1 * s]);
  },
  cylindrical: SLEEVE,
  screw: (s, a, b, wide, travel) => {
    SLEEVE(s, a, b, wide, travel);
    for (const k of [-1, 1]) {
      b("ring", [0.55 * s, 0.55 * s, s], { frame: [0, 0, 0.5 * k * s, 1, 0, 0, 0] });
    }
  },
  planar: PLATE,
  point_on_plane: PLATE,
  point_on_line: (s, a, b, wide, travel) => {
    rail("cylinder", 0.12 * s, s, a, travel, 2, 0.6);
    b("sphere", [0.4 * s, 0.4 * s, 0.4 * s]);
  },
  fixed: BLOCK,
  planar_fixed: BLOCK,
  generic: BLOCK,
  knife_edge: (s, a, b) => b("box", [4 * s, 0.25 * s, 1.2 * s]),
  motion: (s, a, b) => b("ring", [1.3 * s, 1.3 * s, 0.8 * s], { colour: [0.1, 0.5, 0.2, 1] }),
};
const FAINT = (s, a, b) => b("ring", [0.4 * s, 0.4 * s, 0.4 * s]);

// How far the origin of frame B goes along axis k of frame A.
function travelOf(j, motion, k) {
  let low = Infinity;
  let high = -Infinity;
  const { now } = motion;
  for (let i = 0; i < motion.t.length; i += Math.max(1, Math.floor(motion.t.length / 200))) {
    motion.moveTo(motion.t[i]);
    const a = compose(motion.frame(j.a), j.fa);
    const d = sub(apply(motion.frame(j.b), j.fb), a.slice(0, 3));
    const axis = rotate(a.slice(3), [0, 1, 2].map((c) => Number(c === k)));
    low = Math.min(low, dot(d, axis));
    high = Math.max(high, dot(d, axis));
  }
  motion.moveTo(now);
  return [low, high];
}

function addJoints(inst, scene, first, motion) {
  const s = Math.min(0.045 * scene.size, 0.22 * (scene.part || scene.size));
  scene.joints.forEach((j, i) => {
    const id = first + i;
    const colour = j.gap ? OPEN : j.redundant ? REDUNDANT : STEEL;
    const on = (body, frame) => (solidName, scale, o = {}) => {
      const base = o.colour && colour === STEEL ? o.colour : colour;
      const paint = [...base.slice(0, 3), o.opacity || 1];
      inst.rigid(solidName, body, o.frame ? compose(frame, o.frame) : frame, scale, paint, id, "joints");
    };
    if (j.draw === "length") {
      inst.span("damper", j.a, j.fa.slice(0, 3), j.b, j.fb.slice(0, 3), 0.5 * s, colour === STEEL ? LOAD : colour, id, "joints");
    } else if (j.type === "distance") {
      inst.span("span", j.a, j.fa.slice(0, 3), j.b, j.fb.slice(0, 3), 0.25 * s, colour, id, "joints");
    } else if (!j.hidden) {
      (JOINTS[j.type] || FAINT)(s, on(j.a, j.fa), on(j.b, j.fb), scene.size, (k) => travelOf(j, motion, k));
    }
    if (j.gap) {
      // what should be together and is not
      inst.span("span", j.a, j.fa.slice(0, 3), j.b, j.fb.slice(0, 3), 0.18 * s, OPEN, id, "joints");
      on(j.b, j.fb)("sphere", [1.6 * s, 1.6 * s, 1.6 * s], { opacity: 0.35 });
      on(j.a, j.fa)("sphere", [1.6 * s, 1.6 * s, 1.6 * s], { opacity: 0.35 });
    }
  });
}

// ---- forces

function addForces(inst, scene, first) {
  const s = Math.min(0.03 * scene.size, 0.15 * (scene.part || scene.size));
  scene.forces.forEach((f, i) => {
    const id = first + i;
    const pa = f.fa ? f.fa.slice(0, 3) : [0, 0, 0];
    const pb = f.fb ? f.fb.slice(0, 3) : [0, 0, 0];
    if (f.draw === "coil" || f.draw === "damper") {
      inst.span(f.draw, f.a, pa, f.b, pb, f.draw === "coil" ? s : 0.7 * s, STEEL, id, "forces");
    } else if (f.draw === "line") { // a rope, a cylinder, a law
      inst.span("span", f.a, pa, f.b, pb, 0.25 * s, LOAD, id, "forces");
      inst.rigid("sphere", f.b, f.fb, [0.5 * s, 0.5 * s, 0.5 * s], LOAD, id, "forces");
    } else if (f.draw === "turn") {
      inst.rigid("ring", f.b, f.fb, [2 * s, 2 * s, s], LOAD, id, "forces");
    } else if (f.draw === "twist") {
      for (const r of [1.4, 1.1, 0.8]) {
        inst.rigid("ring", f.b, f.fb, [r * s, r * s, 0.5 * s], STEEL, id, "forces");
      }
    } else if (f.draw === "bushing") {
      inst.rigid("cylinder", f.b, f.fb, [1.2 * s, 1.2 * s, 1.6 * s], [0.35, 0.3, 0.3, 0.6], id, "forces");
    }
  });
}

// Arrows of reactions and loads: only those of elements that have any.
function addArrows(inst, scene, jointFirst, forceFirst) {
  scene.wrenches.forEach((w, k) => {
    const id = (w.of === "joint" ? jointFirst : forceFirst) + w.index;
    const layer = w.of === "joint" ? "reactions" : "loads";
    inst.arrow("arrow", w.body, w.point, 2 * k, false, w.of === "joint" ? FORCE : LOAD, id, layer);
    inst.arrow("doubleArrow", w.body, w.point, 2 * k + 1, true, w.of === "joint" ? TORQUE : LOAD, id, layer);
  });
}

// Marks and arrows where contacts press.
function addContacts(inst, scene, motion) {
  const r = 0.25 * Math.min(0.03 * scene.size, 0.15 * (scene.part || scene.size));
  for (let s = 0; s < motion.slots; ++s) {
    const body = motion.contactAt + s;
    inst.list("rigid", "sphere", "contacts", false).push(0, 0, 0, body, 1, 0, 0, 0, r, r, r, 0, ...CONTACT);
    inst.arrow("arrow", body, [0, 0, 0], 2 * (motion.wrenches + s), false, CONTACT, 0, "contacts");
  }
}

// The lengths that arrows get at a scale of one: the largest force is a fifth of the mechanism.
function largest(loads, n, part) {
  let top = 0;
  for (let i = 0; loads && i < loads.length; i += 6) {
    top = Math.max(top, Math.hypot(loads[i + part], loads[i + part + 1], loads[i + part + 2]));
  }
  return top;
}

// Does wrench k ever act?
function acting(motion, k) {
  const { loads, wrenches } = motion;
  for (let i = 6 * k; loads && i < loads.length; i += 6 * wrenches) {
    if (loads.subarray(i, i + 6).some((x) => x !== 0)) {
      return true;
    }
  }
  return false;
}

// ---- the picture

class Picture {
  constructor(canvas, page, motion) {
    this.page = page;
    this.motion = motion;
    this.renderer = new Renderer(canvas);
    const { scene } = page;
    this.layers = { bodies: true, joints: true, forces: true, reactions: false, loads: true, contacts: true, grid: true, trails: true };
    this.jointFirst = scene.bodies.length + 1;
    this.forceFirst = this.jointFirst + scene.joints.length;
    this.selected = 0;
    this.arrowScale = 1;
    const pressing = motion.pressing ? largest(motion.pressing.x, 0, 3) : 0;
    this.unitForce = (0.2 * scene.size) / (Math.max(pressing, largest(motion.loads, motion.wrenches, 0)) || 1);
    this.unitTorque = (0.2 * scene.size) / (largest(motion.loads, motion.wrenches, 3) || 1);
    this.extent = new Extent(scene.bodies.length);
    const inst = new Instances(this.extent, scene.meshes || []);
    addBodies(inst, page, motion);
    addRods(inst, motion);
    addJoints(inst, scene, this.jointFirst, motion);
    addForces(inst, scene, this.forceFirst);
    addArrows(inst, scene, this.jointFirst, this.forceFirst);
    addContacts(inst, scene, motion);
    inst.flush(this.renderer, scene.meshes || []);
    this.camera = new Camera(scene.up);
    this.planar = scene.planar || motion.inPlane(scene.size);
    this.points = this.extent.points(motion);
    this.box = boxOf(this.points);
    this.addGrid();
    this.addTrails();
    this.offered = this.offer(inst);
    for (const name of Object.keys(this.layers)) {
      this.layers[name] = this.layers[name] && this.offered.has(name);
    }
    if (this.planar) {
      this.camera.flat = true;
      this.camera.lookAlong([0, 0, 1]);
    }
    this.fit();
  }

  // Layers that have something in them.
  offer(inst) {
    const found = new Set(["grid", ...[...inst.lists.values()].map((l) => l.layer)]);
    const acts = (kind) => this.page.scene.wrenches.some((w, k) => w.of === kind && acting(this.motion, k));
    if (!acts("joint")) {
      found.delete("reactions");
    }
    if (!acts("force")) {
      found.delete("loads");
    }
    return this.trails.length > 0 && this.motion.t.length > 1 ? found.add("trails") : found;
  }

  fit() {
    this.camera.fit(this.points, this.renderer.resize());
  }

  // Below the mechanism; of a plane mechanism: behind it.
  addGrid() {
    const { scene } = this.page;
    const [up, east, north] = this.planar
      ? [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
      : [this.camera.up, this.camera.east, this.camera.north];
    const [low, high] = this.box;
    const height = scene.ground !== undefined && scene.ground !== null
      ? scene.ground
      : Math.min(...CORNERS.map((c) => dot(c.map((s, k) => (s < 0 ? low[k] : high[k])), up))) - 0.02 * scene.size;
    const reach = 0.7 * norm(sub(high, low)) + 0.5 * scene.size;
    const step = [5, 2, 1].map((m) => m * 10 ** Math.floor(Math.log10(reach / 4))).find((s) => s <= reach / 4);
    const n = Math.ceil(reach / step);
    const middle = scaled(add(low, high), 0.5);
    const ce = Math.round(dot(middle, east) / step) * step;
    const cn = Math.round(dot(middle, north) / step) * step;
    const at = (e, f) => add(scaled(up, height), add(scaled(east, ce + e * step), scaled(north, cn + f * step)));
    const points = [];
    for (let k = -n; k <= n; ++k) {
      points.push(...at(k, -n), ...at(k, n), ...at(-n, k), ...at(n, k));
    }
    const { gl } = this.renderer;
    const grid = this.renderer.line("grid", () => (this.dark ? [1, 1, 1, 0.13] : [0, 0, 0, 0.14]), gl.LINES);
    this.renderer.points(grid, Float32Array.from(points), gl.STATIC_DRAW);
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, k) => {
      const line = this.renderer.line("grid", [...PALETTE[[5, 2, 0][k]], 1], gl.LINES);
      this.renderer.points(line, Float32Array.from([0, 0, 0, ...scaled(axis, 0.2 * scene.size)]), gl.STATIC_DRAW);
    });
  }

  addTrails() {
    this.trails = (this.page.scene.trails || []).map((t) => {
      const line = this.renderer.line("trails", [...PALETTE[t.body % PALETTE.length], 0.9]);
      this.renderer.points(line, this.motion.path(t.body, t.point), this.renderer.gl.STATIC_DRAW);
      return line;
    });
  }

  // What changes from frame to frame goes to the graphics memory; then everything is drawn.
  draw(t) {
    const { renderer, motion } = this;
    motion.moveTo(t);
    renderer.upload(renderer.poses, motion.pose);
    if (motion.wrenches + motion.slots > 0 && (this.layers.reactions || this.layers.loads || this.layers.contacts)) {
      motion.blendWrenches();
      renderer.upload(renderer.vectors, motion.wrench);
    }
    const shown = motion.t.length > 1 ? interval(motion.t, t) + 2 : 0;
    for (const line of this.trails) {
      line.count = shown;
    }
    renderer.draw(this.view());
  }

  view() {
    const aspect = this.renderer.resize();
    return {
      ...this.camera.matrices(aspect),
      layers: this.layers,
      tint: this.motion.coloured >= 0,
      selected: this.selected || -1,
      background: this.dark ? [0.09, 0.1, 0.12] : [0.965, 0.97, 0.975],
      forceScale: this.unitForce * this.arrowScale,
      torqueScale: this.unitTorque * this.arrowScale,
      thickness: 0.02 * this.page.scene.size,
    };
  }

  // Where a point of a frame is on the canvas, in CSS pixels.
  pixel(frame, point) {
    const { view, projection } = this.view();
    const p = multiply(projection, view);
    const x = [...apply(frame, point), 1];
    const [u, v, , w] = [0, 1, 2, 3].map((i) => x.reduce((sum, c, k) => sum + p[i + 4 * k] * c, 0));
    const { clientWidth, clientHeight } = this.renderer.canvas;
    return [0.5 * (1 + u / w) * clientWidth, 0.5 * (1 - v / w) * clientHeight];
  }

  pick(x, y) {
    return this.renderer.pick(this.view(), x, y);
  }

  // What the number of an element stands for: [kind, index].
  element(id) {
    if (id <= 0) {
      return null;
    }
    if (id < this.jointFirst) {
      return ["bodies", id - 1];
    }
    return id < this.forceFirst ? ["joints", id - this.jointFirst] : ["forces", id - this.forceFirst];
  }

  idOf(kind, index) {
    return { bodies: 1, joints: this.jointFirst, forces: this.forceFirst }[kind] + index;
  }
}

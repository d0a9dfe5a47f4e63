// Unit solids as triangles: positions and normals, three numbers each. Scales and places come with the instances.
// n is the number of corners of a circle: fewer where there are thousands of instances.

function solid() {
  return { position: [], normal: [], index: [] };
}

function vertex(s, p, n) {
  s.position.push(...p);
  s.normal.push(...n);
  return s.position.length / 3 - 1;
}

// A surface over a grid of nu x nv cells; at(u, v) gives [position, normal] for 0 <= u, v <= 1.
function surface(s, nu, nv, at) {
  const first = s.position.length / 3;
  for (let j = 0; j <= nv; ++j) {
    for (let i = 0; i <= nu; ++i) {
      vertex(s, ...at(i / nu, j / nv));
    }
  }
  for (let j = 0; j < nv; ++j) {
    for (let i = 0; i < nu; ++i) {
      const a = first + i + j * (nu + 1);
      const b = a + nu + 1;
      s.index.push(a, a + 1, b + 1, a, b + 1, b);
    }
  }
}

// A disk of radius r at height z, facing along the sign of up.
function cap(s, r, z, up, n) {
  const centre = vertex(s, [0, 0, z], [0, 0, up]);
  for (let i = 0; i <= n; ++i) {
    const a = (2 * Math.PI * i) / n;
    vertex(s, [r * Math.cos(a), r * Math.sin(a), z], [0, 0, up]);
  }
  for (let i = 1; i <= n; ++i) {
    s.index.push(centre, centre + (up > 0 ? i : i + 1), centre + (up > 0 ? i + 1 : i));
  }
}

// A surface of revolution about z from radius r0 at z0 to r1 at z1.
function barrel(s, r0, z0, r1, z1, n) {
  const slope = Math.hypot(r1 - r0, z1 - z0) || 1;
  const nr = (z1 - z0) / slope;
  const nz = (r0 - r1) / slope;
  surface(s, n, 1, (u, v) => {
    const c = Math.cos(2 * Math.PI * u);
    const d = Math.sin(2 * Math.PI * u);
    const r = r0 + v * (r1 - r0);
    return [[r * c, r * d, z0 + v * (z1 - z0)], [nr * c, nr * d, nz]];
  });
}

// Edge 1, centred.
function box() {
  const s = solid();
  for (let axis = 0; axis < 3; ++axis) {
    for (const sign of [-1, 1]) {
      const at = (u, v) => {
        const p = [0, 0, 0];
        const n = [0, 0, 0];
        p[axis] = n[axis] = sign;
        p[(axis + 1) % 3] = 2 * (sign > 0 ? u : 1 - u) - 1;
        p[(axis + 2) % 3] = 2 * v - 1;
        return [scaled(p, 0.5), n];
      };
      surface(s, 1, 1, at);
    }
  }
  return s;
}

// Radius 1.
function sphere(n) {
  const s = solid();
  surface(s, n, n / 2, (u, v) => {
    const a = 2 * Math.PI * u;
    const b = Math.PI * (v - 0.5);
    const p = [Math.cos(a) * Math.cos(b), Math.sin(a) * Math.cos(b), Math.sin(b)];
    return [p, p];
  });
  return s;
}

// Radius 1, height 1 along z, centred.
function cylinder(n) {
  const s = solid();
  barrel(s, 1, -0.5, 1, 0.5, n);
  cap(s, 1, 0.5, 1, n);
  cap(s, 1, -0.5, -1, n);
  return s;
}

// Radius 1 at z = -1/2, tip at z = 1/2.
function cone(n) {
  const s = solid();
  barrel(s, 1, -0.5, 0, 0.5, n);
  cap(s, 1, -0.5, -1, n);
  return s;
}

// A ring about z: radius 1, thickness 0.12.
function ring(n) {
  const s = solid();
  surface(s, n, n / 4, (u, v) => {
    const a = 2 * Math.PI * u;
    const b = 2 * Math.PI * v;
    const out = [Math.cos(a), Math.sin(a), 0];
    const n = [Math.cos(b) * out[0], Math.cos(b) * out[1], Math.sin(b)];
    return [add(out, scaled(n, 0.12)), n];
  });
  return s;
}

// A wire of radius w along a curve; curve(u) gives its place and tangent. Along z the wire is thin, because that
// direction is stretched by the length of the spring.
function wire(s, n, w, curve) {
  surface(s, n, 8, (u, v) => {
    const [p, tangent] = curve(u);
    const e1 = normalTo(tangent);
    const e2 = cross(unit(tangent), e1);
    const b = 2 * Math.PI * v;
    const out = add(scaled(e1, Math.cos(b)), scaled(e2, Math.sin(b)));
    return [add(p, [w * out[0], w * out[1], 0.06 * w * out[2]]), [out[0], out[1], 0.06 * out[2]]];
  });
}

// From z = 0 to z = 1, radius 1, with straight ends.
function coil(n) {
  const s = solid();
  const turns = 7;
  const helix = (u) => {
    const w = Math.min(1, Math.max(0, (u - 0.08) / 0.84));
    const a = 2 * Math.PI * turns * w;
    const r = Math.min(1, 12 * Math.min(u, 1 - u));
    const p = [r * Math.cos(a), r * Math.sin(a), 0.08 + 0.84 * w];
    return u < 0.08 || u > 0.92 ? [[p[0], p[1], u], [0, 0, 1]] : [p, [-Math.sin(a), Math.cos(a), 0.08]];
  };
  wire(s, 8 * n, 0.16, helix);
  return s;
}

// From z = 0 to z = 1, radius 1: a rod, or a damper with its pot.
function span(n) {
  const s = solid();
  barrel(s, 1, 0, 1, 1, n / 2);
  cap(s, 1, 1, 1, n / 2);
  cap(s, 1, 0, -1, n / 2);
  return s;
}

function damper(n) {
  const s = solid();
  barrel(s, 0.35, 0, 0.35, 0.55, n / 2);
  barrel(s, 1, 0.4, 1, 0.75, n);
  cap(s, 1, 0.4, -1, n);
  cap(s, 1, 0.75, 1, n);
  barrel(s, 0.35, 0.75, 0.35, 1, n / 2);
  return s;
}

// From z = 0 to z = 1; the head takes a quarter, as wide as it needs.
function arrow(n) {
  const s = solid();
  barrel(s, 0.35, 0, 0.35, 0.78, n / 2);
  cap(s, 0.35, 0, -1, n / 2);
  barrel(s, 1, 0.78, 0, 1, n);
  cap(s, 1, 0.78, -1, n);
  return s;
}

// The same with two heads: a torque.
function doubleArrow(n) {
  const s = arrow(n);
  barrel(s, 1, 0.56, 0, 0.78, n);
  cap(s, 1, 0.56, -1, n);
  return s;
}

// A mesh of the model. Normals: of the faces, so that edges stay sharp.
function mesh(m) {
  const s = solid();
  const x = floats(m.positions);
  const index = wholes(m.indices);
  for (let i = 0; i + 2 < index.length; i += 3) {
    const p = [0, 1, 2].map((k) => Array.from(x.subarray(3 * index[i + k], 3 * index[i + k] + 3)));
    const n = unit(cross(sub(p[1], p[0]), sub(p[2], p[0])));
    s.index.push(...p.map((v) => vertex(s, v, n)));
  }
  return s;
}

// The corners of a patch.
function patch() {
  return { position: [1, 0, 0, 0, 1, 0, 0, 0, 1], normal: [0, 0, 1, 0, 0, 1, 0, 0, 1], index: [0, 1, 2] };
}

const SOLIDS = { box, sphere, cylinder, cone, ring };
const SPANS = { coil, span, damper, patch };
const ARROWS = { arrow, doubleArrow };

// Vectors, quaternions [w, x, y, z] and 4x4 matrices (column-major), as plain arrays.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);

function unit(a) {
  const n = norm(a);
  return n > 0 ? scaled(a, 1 / n) : [0, 0, 1];
}

// Some unit vector normal to a.
function normalTo(a) {
  const e = Math.abs(a[0]) < 0.8 * norm(a) ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(a, e));
}

function rotate(q, v) {
  const u = [q[1], q[2], q[3]];
  const t = scaled(cross(u, v), 2);
  return add(add(v, scaled(t, q[0])), cross(u, t));
}

function product(p, q) {
  return [
    p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
    p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
    p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
    p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
  ];
}

// The rotation that takes z to the direction d.
function turnZTo(d) {
  const u = unit(d);
  if (u[2] < -0.999999) {
    return [0, 1, 0, 0];
  }
  const q = [1 + u[2], -u[1], u[0], 0];
  const n = Math.hypot(q[0], q[1], q[2]);
  return q.map((x) => x / n);
}

// A frame is [x, y, z, qw, qx, qy, qz]; this one is b as seen from where a is seen.
function compose(a, b) {
  const x = add(a.slice(0, 3), rotate(a.slice(3), b.slice(0, 3)));
  return [...x, ...product(a.slice(3), b.slice(3))];
}

const apply = (frame, p) => add(frame.slice(0, 3), rotate(frame.slice(3), p));

function multiply(a, b) {
  const c = new Float32Array(16);
  for (let j = 0; j < 4; ++j) {
    for (let i = 0; i < 4; ++i) {
      let s = 0;
      for (let k = 0; k < 4; ++k) {
        s += a[i + 4 * k] * b[k + 4 * j];
      }
      c[i + 4 * j] = s;
    }
  }
  return c;
}

// World to eye; right, above and back are the axes of the camera at the place eye.
function lookFrom(eye, right, above, back) {
  return new Float32Array([
    right[0], above[0], back[0], 0, right[1], above[1], back[1], 0, right[2], above[2], back[2], 0,
    -dot(right, eye), -dot(above, eye), -dot(back, eye), 1,
  ]);
}

function perspective(halfAngle, aspect, near, far) {
  const f = 1 / Math.tan(halfAngle);
  return new Float32Array([
    f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0,
  ]);
}

function orthographic(halfHeight, aspect, near, far) {
  const s = 1 / halfHeight;
  return new Float32Array([
    s / aspect, 0, 0, 0, 0, s, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1,
  ]);
}

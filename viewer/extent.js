// How far the mechanism reaches: a box around the shapes of each body, and where their corners come in the motion.

const CORNERS = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x, y, z])));

class Extent {
  constructor(bodies) {
    this.low = Array.from({ length: bodies + 1 }, () => [Infinity, Infinity, Infinity]); // 0: ground
    this.high = Array.from({ length: bodies + 1 }, () => [-Infinity, -Infinity, -Infinity]);
  }

  // A point of a body, -1: of the ground.
  add(body, p) {
    const low = this.low[body + 1];
    const high = this.high[body + 1];
    for (let k = 0; low && k < 3; ++k) {
      low[k] = Math.min(low[k], p[k]);
      high[k] = Math.max(high[k], p[k]);
    }
  }

  // A box with half edges `half` about the origin of a frame in that of the body.
  addBox(body, frame, half) {
    for (const c of CORNERS) {
      this.add(body, apply(frame, [c[0] * half[0], c[1] * half[1], c[2] * half[2]]));
    }
  }

  corners(body) {
    const low = this.low[body + 1];
    const high = this.high[body + 1];
    return low[0] <= high[0] ? CORNERS.map((c) => c.map((s, k) => (s < 0 ? low[k] : high[k]))) : [[0, 0, 0]];
  }

  // Corners of all boxes in the world, at no more than 60 times of the motion; x, y, z one after the other.
  points(motion) {
    const times = Math.max(2, Math.min(60, motion.t.length, Math.floor(5000 / (1 + motion.count))));
    const out = this.low[0][0] <= this.high[0][0] ? this.corners(-1).flat() : [];
    const now = motion.now;
    for (let i = 0; i < (motion.t.length > 1 ? times : 1); ++i) {
      motion.moveTo(motion.t[Math.round((i * (motion.t.length - 1)) / (times - 1))]);
      for (let b = 0; b < motion.count; ++b) {
        const frame = motion.frame(b);
        for (const c of this.corners(b)) {
          out.push(...apply(frame, c));
        }
      }
    }
    motion.moveTo(now);
    return Float32Array.from(out);
  }
}

// The smallest box that holds the points.
function boxOf(points) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; ++i) {
    low[i % 3] = Math.min(low[i % 3], points[i]);
    high[i % 3] = Math.max(high[i % 3], points[i]);
  }
  return points.length > 0 ? [low, high] : [[0, 0, 0], [0, 0, 0]];
}

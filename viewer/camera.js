// A camera that turns about a target, moved by mouse, touch and keys.

class Camera {
  constructor(up) {
    this.up = unit(up);
    this.east = Math.abs(this.up[0]) < 0.9 ? unit(sub([1, 0, 0], scaled(this.up, this.up[0]))) : [0, 0, 1];
    this.north = cross(this.up, this.east);
    this.target = [0, 0, 0];
    this.distance = 3;
    this.yaw = -0.9;
    this.pitch = 0.35;
    this.flat = false; // orthographic
    this.radius = 1;
  }

  // Axes of the camera: right, above, back.
  axes() {
    const c = Math.cos(this.pitch);
    const level = add(scaled(this.east, Math.cos(this.yaw)), scaled(this.north, Math.sin(this.yaw)));
    const back = add(scaled(level, c), scaled(this.up, Math.sin(this.pitch)));
    const right = unit(sub(scaled(this.north, Math.cos(this.yaw)), scaled(this.east, Math.sin(this.yaw))));
    return [right, cross(back, right), back];
  }

  // Look against a direction: the one that comes towards the eye.
  lookAlong(back) {
    const b = unit(back);
    this.pitch = Math.asin(Math.max(-1, Math.min(1, dot(b, this.up))));
    const c = Math.cos(this.pitch);
    this.yaw = c > 1e-6 ? Math.atan2(dot(b, this.north), dot(b, this.east)) : -Math.PI / 2; // from above: east to the right
  }

  // All points in sight, as closely as possible, without turning. x and y of the eye are in the middle between what limits
  // it on both sides; its height above the plane through the target follows (the same for both projections).
  fit(points, aspect) {
    const axes = this.axes();
    const tan = [0, 1].map((k) => 0.84 * Math.tan(0.39) * Math.max(1, 1 / aspect) * (k === 0 ? aspect : 1));
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const side = [-Infinity, -Infinity, -Infinity, -Infinity]; // of z + x/tan, z - x/tan, the same for y
    for (let i = 0; i + 2 < points.length; i += 3) {
      const c = axes.map((a) => a[0] * points[i] + a[1] * points[i + 1] + a[2] * points[i + 2]);
      for (let k = 0; k < 3; ++k) {
        low[k] = Math.min(low[k], c[k]);
        high[k] = Math.max(high[k], c[k]);
      }
      for (let k = 0; k < 2 && !this.flat; ++k) {
        side[2 * k] = Math.max(side[2 * k], c[2] + c[k] / tan[k]);
        side[2 * k + 1] = Math.max(side[2 * k + 1], c[2] - c[k] / tan[k]);
      }
    }
    if (points.length < 3) {
      return;
    }
    const centre = [0, 1, 2].map((k) => 0.5 * (low[k] + high[k]));
    this.radius = Math.max(0.5 * norm(sub(high, low)), 1e-9);
    if (this.flat) {
      this.distance = Math.max(...[0, 1].map((k) => (0.5 * (high[k] - low[k])) / tan[k]));
    } else {
      const eye = [0, 1].map((k) => 0.5 * tan[k] * (side[2 * k] - side[2 * k + 1]));
      this.distance = Math.max(...[0, 1].map((k) => 0.5 * (side[2 * k] + side[2 * k + 1]))) - centre[2];
      centre.splice(0, 2, ...eye);
    }
    this.distance = Math.max(this.distance, 0.5 * this.radius);
    this.target = axes.reduce((sum, a, k) => add(sum, scaled(a, centre[k])), [0, 0, 0]);
  }

  matrices(aspect) {
    const [right, above, back] = this.axes();
    const eye = add(this.target, scaled(back, this.distance));
    const near = Math.max(this.distance - 40 * this.radius, 0.005 * this.distance);
    const far = this.distance + 40 * this.radius;
    const half = Math.tan(0.39) * this.distance * Math.max(1, 1 / aspect);
    return {
      view: lookFrom(eye, right, above, back),
      projection: this.flat
        ? orthographic(half, aspect, -far, far)
        : perspective(Math.atan(half / this.distance), aspect, near, far),
    };
  }

  turn(dx, dy) {
    this.yaw -= dx;
    this.pitch = Math.max(-1.5707, Math.min(1.5707, this.pitch + dy));
  }

  // By a share of the height of the picture.
  pan(dx, dy) {
    const [right, above] = this.axes();
    const s = 2 * Math.tan(0.39) * this.distance;
    this.target = add(this.target, add(scaled(right, -dx * s), scaled(above, dy * s)));
  }

  zoom(factor) {
    this.distance = Math.max(1e-3 * this.radius, Math.min(100 * this.radius, this.distance * factor));
  }
}

// Mouse and touch on the canvas; click(x, y) when nothing was dragged.
function steer(canvas, camera, changed, click) {
  const fingers = new Map();
  let moved = 0;
  const middle = () => {
    const p = [...fingers.values()];
    return [(p[0][0] + p[1][0]) / 2, (p[0][1] + p[1][1]) / 2, Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1])];
  };
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, [e.offsetX, e.offsetY]);
    moved = fingers.size > 1 ? 100 : 0;
  });
  canvas.addEventListener("pointermove", (e) => {
    const old = fingers.get(e.pointerId);
    if (!old) {
      return;
    }
    const dx = e.offsetX - old[0];
    const dy = e.offsetY - old[1];
    const h = canvas.clientHeight;
    moved += Math.abs(dx) + Math.abs(dy);
    if (fingers.size === 2) {
      const before = middle();
      fingers.set(e.pointerId, [e.offsetX, e.offsetY]);
      const after = middle();
      camera.pan((after[0] - before[0]) / h, (after[1] - before[1]) / h);
      camera.zoom(before[2] / Math.max(1, after[2]));
    } else {
      fingers.set(e.pointerId, [e.offsetX, e.offsetY]);
      if (e.shiftKey || e.buttons & 6) {
        camera.pan(dx / h, dy / h);
      } else {
        camera.turn(0.006 * dx, 0.006 * dy);
      }
    }
    changed();
  });
  const up = (e) => {
    if (fingers.delete(e.pointerId) && moved < 4 && e.type === "pointerup") {
      click(e.offsetX, e.offsetY);
    }
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    camera.zoom(Math.exp(0.0012 * e.deltaY));
    changed();
  }, { passive: false });
}

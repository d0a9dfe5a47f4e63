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
    if (c > 1e-6) {
      this.yaw = Math.atan2(dot(b, this.north), dot(b, this.east));
    }
  }

  fit(box, margin) {
    this.target = scaled(add(box[0], box[1]), 0.5);
    this.radius = Math.max(0.5 * norm(sub(box[1], box[0])) + margin, 1e-6);
    this.distance = 2.6 * this.radius;
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

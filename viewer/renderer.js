// Draws instances of solids with WebGL2: one call per kind of solid.

const FLOATS = 16; // of an instance: four attributes of four

function compile(gl, vertexText, fragmentText) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
      throw new Error(gl.getShaderInfoLog(shader));
    }
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    throw new Error(gl.getProgramInfoLog(program));
  }
  const uniform = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
    const { name } = gl.getActiveUniform(program, i);
    uniform[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniform };
}

class Renderer {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) {
      throw new Error("This browser offers no WebGL2, so the mechanism cannot be drawn.");
    }
    this.gl = gl;
    this.canvas = canvas;
    this.programs = {
      rigid: compile(gl, RIGID_VERTEX, SOLID_FRAGMENT),
      span: compile(gl, SPAN_VERTEX, SOLID_FRAGMENT),
      patch: compile(gl, PATCH_VERTEX, SOLID_FRAGMENT),
      arrow: compile(gl, ARROW_VERTEX, SOLID_FRAGMENT),
      line: compile(gl, LINE_VERTEX, LINE_FRAGMENT),
    };
    this.batches = [];
    this.lines = [];
    this.poses = this.texture();
    this.vectors = this.texture();
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  // ---- data

  texture() {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    return { texture, width: 0, height: 0, data: null };
  }

  // Texels of four numbers. The array is padded to whole rows once.
  upload(t, data) {
    const { gl } = this;
    const texels = data.length / 4;
    gl.bindTexture(gl.TEXTURE_2D, t.texture);
    if (!t.data || t.texels !== texels) {
      t.texels = texels;
      t.width = Math.min(2048, Math.max(1, texels));
      t.height = Math.max(1, Math.ceil(texels / t.width));
      t.data = new Float32Array(4 * t.width * t.height);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, t.width, t.height, 0, gl.RGBA, gl.FLOAT, null);
    }
    t.data.set(data);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, t.width, t.height, gl.RGBA, gl.FLOAT, t.data);
  }

  // A kind of solid with its instances (FLOATS numbers each). layer: switched on and off together.
  batch(kind, shape, instances, layer, options = {}) {
    const { gl } = this;
    const vao = gl.createVertexArray();
    gl.bindVertexArray(vao);
    const attribute = (location, size, data, divisor, stride, offset) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, stride, offset);
      gl.vertexAttribDivisor(location, divisor);
    };
    const buffer = (data, target = gl.ARRAY_BUFFER) => {
      gl.bindBuffer(target, gl.createBuffer());
      gl.bufferData(target, data, gl.STATIC_DRAW);
    };
    buffer(Float32Array.from(shape.position));
    attribute(0, 3, null, 0, 0, 0);
    buffer(Float32Array.from(shape.normal));
    attribute(1, 3, null, 0, 0, 0);
    buffer(Uint32Array.from(shape.index), gl.ELEMENT_ARRAY_BUFFER);
    buffer(Float32Array.from(instances));
    for (let k = 0; k < 4; ++k) {
      attribute(2 + k, 4, null, 1, 4 * FLOATS, 16 * k);
    }
    gl.bindVertexArray(null);
    this.batches.push({ kind, vao, count: instances.length / FLOATS, indices: shape.index.length, layer, ...options });
  }

  // A strip of lines whose points may change; returns the thing to hand to `points`.
  line(layer, paint, mode) {
    const { gl } = this;
    const vao = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    const line = { vao, buffer, layer, paint, mode: mode || gl.LINE_STRIP, first: 0, count: 0 };
    this.lines.push(line);
    return line;
  }

  points(line, data, usage = this.gl.DYNAMIC_DRAW) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, line.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, usage);
    line.count = data.length / 3;
  }

  // ---- drawing

  resize() {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const w = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const h = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    return w / h;
  }

  useCamera({ program, uniform }, scene) {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniform.view, false, scene.view);
    gl.uniformMatrix4fv(uniform.projection, false, scene.projection);
    return uniform;
  }

  drawBatch(b, scene, picking) {
    const { gl } = this;
    const uniform = this.useCamera(this.programs[b.kind], scene);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.poses.texture);
    gl.uniform1i(uniform.poses, 0);
    gl.uniform1i(uniform.width, this.poses.width);
    gl.uniform1f(uniform.selected, picking ? -1 : scene.selected);
    gl.uniform1f(uniform.picking, picking ? 1 : 0);
    gl.uniform1f(uniform.marks, b.marks ? 1 : 0);
    gl.uniform1f(uniform.tint, scene.tint ? 1 : 0);
    if (b.kind === "arrow") {
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, this.vectors.texture);
      gl.uniform1i(uniform.vectors, 1);
      gl.uniform1i(uniform.vectorWidth, this.vectors.width);
      gl.uniform1f(uniform.forceScale, scene.forceScale);
      gl.uniform1f(uniform.torqueScale, scene.torqueScale);
      gl.uniform1f(uniform.thickness, scene.thickness);
    }
    gl.bindVertexArray(b.vao);
    gl.drawElementsInstanced(gl.TRIANGLES, b.indices, gl.UNSIGNED_INT, 0, b.count);
  }

  drawLines(scene) {
    const { gl } = this;
    const uniform = this.useCamera(this.programs.line, scene);
    for (const line of this.lines) {
      if (scene.layers[line.layer] && line.count > 0) {
        gl.uniform4fv(uniform.paint, typeof line.paint === "function" ? line.paint() : line.paint);
        gl.bindVertexArray(line.vao);
        gl.drawArrays(line.mode, line.first, line.count);
      }
    }
  }

  draw(scene) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...scene.background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.BLEND);
    this.drawLines(scene);
    for (const clear of [false, true]) {
      // what can be seen through comes last and hides nothing
      gl.depthMask(!clear);
      for (const b of this.batches) {
        if (Boolean(b.clear) === clear && scene.layers[b.layer]) {
          this.drawBatch(b, scene, false);
        }
      }
    }
    gl.depthMask(true);
    gl.bindVertexArray(null);
  }

  // The number of what is drawn at a place of the canvas (in CSS pixels), 0 for nothing.
  pick(scene, x, y) {
    const { gl, canvas } = this;
    const w = canvas.width;
    const h = canvas.height;
    if (!this.target || this.target.w !== w || this.target.h !== h) {
      this.target = this.makeTarget(w, h);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target.frame);
    gl.viewport(0, 0, w, h);
    gl.disable(gl.BLEND);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    for (const b of this.batches) {
      if (scene.layers[b.layer]) {
        this.drawBatch(b, scene, true);
      }
    }
    const px = new Uint8Array(4);
    gl.readPixels(Math.round((x * w) / canvas.clientWidth), h - 1 - Math.round((y * h) / canvas.clientHeight), 1, 1,
      gl.RGBA, gl.UNSIGNED_BYTE, px);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return px[0] + 256 * px[1] + 65536 * px[2];
  }

  makeTarget(w, h) {
    const { gl } = this;
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    const colour = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, colour);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, w, h);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, colour);
    const depth = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, w, h);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
    return { frame, w, h };
  }
}

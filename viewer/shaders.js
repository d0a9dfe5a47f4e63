// Shaders. Poses of the bodies come from a texture, two texels each, so that a frame costs one upload however many
// shapes there are. Body -1 is the ground.

const COMMON = `#version 300 es
precision highp float;
precision highp int;
uniform mat4 view, projection;
uniform sampler2D poses;
uniform int width;
uniform float selected;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
out vec3 eyeNormal, local;
out vec4 colour;
flat out float number;
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0*cross(q.yzw, v); return v + q.x*t + cross(q.yzw, t); }
vec4 texel(sampler2D s, int i) { return texelFetch(s, ivec2(i % width, i / width), 0); }
void pose(float body, out vec3 x, out vec4 q) {
  if (body < 0.0) { x = vec3(0); q = vec4(1, 0, 0, 0); return; }
  int i = 2*int(body);
  x = texel(poses, i).xyz; q = texel(poses, i + 1);
}
vec4 zTo(vec3 u) {
  if (u.z < -0.99999) { return vec4(0, 1, 0, 0); }
  return normalize(vec4(1.0 + u.z, -u.y, u.x, 0));
}
void emit(vec3 world, vec3 n, vec4 c, float id) {
  eyeNormal = mat3(view)*n;
  number = id;
  colour = id == selected ? vec4(mix(c.rgb, vec3(1.0, 0.85, 0.2), 0.6), max(c.a, 0.6)) : c;
  gl_Position = projection*view*vec4(world, 1);
}
`;

// A solid fixed to a body: place, rotation and scale in the frame of the body.
const RIGID_VERTEX = COMMON + `
layout(location = 2) in vec4 placeBody;
layout(location = 3) in vec4 rotation;
layout(location = 4) in vec4 scaleId;
layout(location = 5) in vec4 paint;
void main() {
  vec3 x; vec4 q; pose(placeBody.w, x, q);
  local = position;
  vec3 p = turn(rotation, position*scaleId.xyz) + placeBody.xyz;
  vec3 n = turn(rotation, normal/max(scaleId.xyz, vec3(1e-9)));
  emit(x + turn(q, p), normalize(turn(q, n)), paint, scaleId.w);
}`;

// A solid between a point of one body and a point of another: z from 0 to 1, thickness in world units.
const SPAN_VERTEX = COMMON + `
layout(location = 2) in vec4 startBody;
layout(location = 3) in vec4 endBody;
layout(location = 4) in vec4 thickId;
layout(location = 5) in vec4 paint;
void main() {
  vec3 x; vec4 q;
  pose(startBody.w, x, q); vec3 a = x + turn(q, startBody.xyz);
  pose(endBody.w, x, q); vec3 b = x + turn(q, endBody.xyz);
  float l = max(length(b - a), 1e-9);
  vec4 r = zTo((b - a)/l);
  local = vec3(1);
  emit(a + turn(r, position*vec3(thickId.xx, l)), normalize(turn(r, normal/vec3(thickId.xx, l))), paint, thickId.w);
}`;

// A triangle between three poses, nodes of a flexible body or corners of sections of a beam: position has the weights of its corners.
const PATCH_VERTEX = COMMON + `
uniform float tint;
layout(location = 2) in vec4 corners;
layout(location = 4) in vec4 noneId;
layout(location = 5) in vec4 paint;
void main() {
  vec3 a, b, c; vec4 q;
  pose(corners.x, a, q); pose(corners.y, b, q); pose(corners.z, c, q);
  vec3 n = cross(b - a, c - a);
  local = vec3(1);
  vec4 own = paint;
  if (corners.w > 0.5 && tint > 0.5) { // a value from -1 to 1 at each corner: blue, grey, red
    float v = dot(position, vec3(texel(poses, 2*int(corners.x)).w, texel(poses, 2*int(corners.y)).w, texel(poses, 2*int(corners.z)).w));
    own.rgb = v < 0.0 ? mix(vec3(0.86), vec3(0.08, 0.24, 0.75), -v) : mix(vec3(0.86), vec3(0.78, 0.07, 0.12), v);
  }
  emit(mat3(a, b, c)*position, n/max(length(n), 1e-30), own, noneId.w);
}`;

// An arrow at a point of a body, along a vector of the second texture.
const ARROW_VERTEX = COMMON + `
uniform sampler2D vectors;
uniform int vectorWidth;
uniform float forceScale, torqueScale, thickness;
layout(location = 2) in vec4 placeBody;
layout(location = 3) in vec4 which;
layout(location = 5) in vec4 paint;
void main() {
  vec3 x; vec4 q; pose(placeBody.w, x, q);
  int i = int(which.x);
  vec3 v = texelFetch(vectors, ivec2(i % vectorWidth, i / vectorWidth), 0).xyz*(which.y > 0.5 ? torqueScale : forceScale);
  float l = length(v);
  vec4 r = zTo(l > 0.0 ? v/l : vec3(0, 0, 1));
  float w = l < 1e-6*thickness ? 0.0 : min(thickness, 0.25*l);
  local = vec3(1);
  emit(x + turn(q, placeBody.xyz) + turn(r, position*vec3(w, w, l)), turn(r, normal), paint, which.w);
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 eyeNormal, local;
in vec4 colour;
flat in float number;
uniform float picking, marks;
out vec4 fragment;
void main() {
  if (picking > 0.5) {
    float id = number;
    fragment = vec4(mod(id, 256.0), mod(floor(id/256.0), 256.0), floor(id/65536.0), 255.0)/255.0;
    return;
  }
  vec3 n = normalize(gl_FrontFacing ? eyeNormal : -eyeNormal);
  float light = 0.5 + 0.5*max(0.0, dot(n, normalize(vec3(0.35, 0.6, 0.75)))) + 0.22*max(0.0, dot(n, vec3(-0.6, -0.1, 0.5)));
  float shine = pow(max(0.0, dot(reflect(vec3(0, 0, -1), n), normalize(vec3(-0.35, -0.6, 0.75)))), 24.0);
  // two halves of a round body differ a little, so that its rotation can be seen
  float half_ = marks*0.14*sign(local.x*local.y);
  fragment = vec4(colour.rgb*(light + half_) + 0.12*shine, colour.a);
}`;

// Lines in the world: grid, trails, shapes of flexible bodies.
const LINE_VERTEX = `#version 300 es
precision highp float;
uniform mat4 view, projection;
layout(location = 0) in vec3 position;
void main() { gl_Position = projection*view*vec4(position, 1); gl_PointSize = 5.0; }`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 paint;
out vec4 fragment;
void main() { fragment = paint; }`;

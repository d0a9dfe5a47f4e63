// A frame as PNG, a motion as WebM.

function save(blob, name) {
  const a = element("a", "", null);
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

// The drawing buffer is only whole right after drawing.
function frameBlob(picture, t) {
  picture.draw(t);
  return new Promise((done) => picture.renderer.canvas.toBlob(done, "image/png"));
}

// Plays once from the start to the end and records what is seen.
function record(picture, player, finished) {
  const stream = picture.renderer.canvas.captureStream(60);
  const recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
  const parts = [];
  const loop = player.loop;
  recorder.ondataavailable = (e) => parts.push(e.data);
  recorder.onstop = () => finished(new Blob(parts, { type: "video/webm" }));
  player.setLoop(false);
  player.seek(player.start);
  player.playing = true;
  player.last = null;
  recorder.start();
  const watch = setInterval(() => {
    if (!player.playing) {
      clearInterval(watch);
      player.setLoop(loop);
      recorder.stop();
    }
  }, 50);
}

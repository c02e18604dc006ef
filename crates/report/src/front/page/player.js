// Time: plays, pauses, and goes back to the start after a rest at the end.

const REST_SECS = 0.8;

class Player {
  constructor(show) {
    Object.assign(this, { show, time: 0, duration: 0, speed: 1, isPlaying: false, rest: 0 });
  }

  play() {
    if (this.isPlaying || !this.duration) return;
    if (this.time >= this.duration) this.time = 0;
    this.isPlaying = true;
    this.last = null;
    requestAnimationFrame((now) => this.tick(now));
    this.show();
  }

  pause() {
    this.isPlaying = false;
    this.show();
  }

  seek(time) {
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.rest = 0;
    this.show();
  }

  tick(now) {
    if (!this.isPlaying) return;
    const passed = this.last === null ? 0 : Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    if (this.time < this.duration) {
      this.time = Math.min(this.time + passed * this.speed, this.duration);
      this.rest = 0;
    } else if ((this.rest += passed) > REST_SECS) {
      this.time = 0;
    }
    this.show();
    requestAnimationFrame((next) => this.tick(next));
  }
}

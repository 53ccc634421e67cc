// Camera by mouse, touch and keys on the canvas.

const TURN = 0.12; // share of the canvas's height that an arrow key turns by
const PIXELS_PER_STEP = 100; // wheel
const STEP = 0.9; // factor on the distance by one step, as the library has it
const FLY = {
  KeyW: [0, 0, 1], KeyS: [0, 0, -1], KeyA: [-1, 0, 0], KeyD: [1, 0, 0], KeyQ: [0, -1, 0], KeyE: [0, 1, 0],
};
const HASTE = 4; // while Shift is held

// Connects a canvas with a viewer. `viewer` gives the current one or nothing; `moved` is told of every move; `act`
// carries out "pause", "home" and "full".
export function connect(canvas, viewer, moved, act) {
  const pointers = new Map();
  const held = new Set();
  const tapped = new Set(); // pressed since the last frame: a key may be up again by the next
  let hasty = false;
  const move = (change) => {
    const current = viewer();
    if (!current) return;
    change(current);
    moved();
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, button: event.button });
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = { ...before, x: event.clientX, y: event.clientY };
    const height = Math.max(canvas.clientHeight, 1);
    const [x, y] = [(now.x - before.x) / height, (now.y - before.y) / height];
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, now);
    move((current) => {
      if (other) {
        const apart = (one) => Math.max(Math.hypot(one.x - other.x, one.y - other.y), 1);
        current.pan(x / 2, y / 2);
        current.dolly(Math.log(apart(before) / apart(now)) / Math.log(STEP));
      } else if (before.button === 2) current.lookAround(x, y);
      else if (before.button === 1 || event.shiftKey) current.pan(x, y);
      else current.orbit(x, y);
    });
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY / 3 : event.deltaY / PIXELS_PER_STEP;
    move((current) => current.dolly(-lines));
  }, { passive: false });

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    hasty = event.shiftKey;
    const turns = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, -TURN], ArrowDown: [0, TURN] };
    const acts = { Space: "pause", Home: "home", KeyF: "full" };
    if (turns[event.code]) move((current) => current.orbit(...turns[event.code]));
    else if (event.key === "+" || event.key === "=") move((current) => current.dolly(2));
    else if (event.key === "-" || event.key === "_") move((current) => current.dolly(-2));
    else if (FLY[event.code]) {
      held.add(event.code);
      tapped.add(event.code);
    }
    else if (acts[event.code]) event.repeat || act(acts[event.code]);
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("keyup", (event) => {
    hasty = event.shiftKey;
    held.delete(event.code);
  });
  canvas.addEventListener("blur", () => {
    held.clear();
    tapped.clear();
  });

  // Flies for `dt` seconds while keys are held; true if it did.
  return function fly(dt) {
    const current = viewer();
    const keys = new Set([...held, ...tapped]);
    tapped.clear();
    if (!keys.size || !current) return false;
    const way = [...keys].map((code) => FLY[code]).reduce((sum, one) => sum.map((value, at) => value + one[at]));
    if (way.every((part) => part === 0)) return false;
    current.fly(...way, hasty ? dt * HASTE : dt);
    moved();
    return true;
  };
}

// Turns, moves and zooms a camera by mouse, touch and wheel.

import type { Camera } from './camera';

export interface PointerActions {
  // The camera has changed.
  moved(): void;
  click(x: number, y: number, adds: boolean): void;
  hover(x: number, y: number): void;
}

// A pointer that moves less than this clicks.
const CLICK_PIXELS = 5;

export function followPointers(element: HTMLElement, camera: Camera,
                               actions: PointerActions): void {
  const down = new Map<number, { x: number; y: number }>();
  let travelled = 0;

  element.addEventListener('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    if (down.size === 0) travelled = 0;
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  element.addEventListener('pointermove', (event) => {
    const before = down.get(event.pointerId);
    const { left, top } = element.getBoundingClientRect();
    if (before === undefined) {
      actions.hover(event.clientX - left, event.clientY - top);
      return;
    }
    const spread = spreadOf(down);
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    travelled += Math.hypot(dx, dy);
    before.x = event.clientX;
    before.y = event.clientY;
    if (travelled < CLICK_PIXELS) return;
    const height = element.clientHeight;
    if (down.size === 2) {
      camera.zoom(spread / Math.max(1, spreadOf(down)));
      camera.pan(dx / 2, dy / 2, height);
    } else if (event.buttons & 6 || event.shiftKey) {
      camera.pan(dx, dy, height);
    } else {
      camera.turn(dx, dy);
    }
    actions.moved();
  });
  const up = (event: PointerEvent) => {
    if (!down.delete(event.pointerId) || event.type !== 'pointerup') return;
    if (travelled >= CLICK_PIXELS || event.button !== 0) return;
    const { left, top } = element.getBoundingClientRect();
    actions.click(event.clientX - left, event.clientY - top,
                  event.shiftKey || event.ctrlKey || event.metaKey);
  };
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', up);
  element.addEventListener('pointerleave', () => actions.hover(-1, -1));
  element.addEventListener('contextmenu', (event) => event.preventDefault());
  element.addEventListener('wheel', (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.003));
    actions.moved();
  }, { passive: false });
}

// The distance of two fingers.
function spreadOf(down: Map<number, { x: number; y: number }>): number {
  const [a, b] = [...down.values()];
  return b === undefined ? 0 : Math.hypot(a.x - b.x, a.y - b.y);
}

import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';

/** An element that was replaced meanwhile is looked up again. */
const lookMs = 5_000;

/** As long as a button that leads to the rest may need to be pressed. */
const showMs = 1_000;

/**
 * Waits until the upper and the lower edge of `what` are drawn in the dialog, below its title and above its
 * buttons. Throws what was in their place otherwise.
 */
export function untilInSightOfDialog(page: Page, what: Locator): Promise<void> {
  return eventually(async () => {
    const box = await what.boundingBox({ timeout: lookMs });
    if (box === null) {
      throw new Error(`not drawn: ${what}`);
    }
    const x = box.x + Math.min(box.width / 2, 40);
    for (const y of [box.y + 2, box.y + box.height - 2]) {
      const covering = await page.evaluate<string | null>(coveringAt(x, y));
      if (covering !== null) {
        throw new Error(`not in sight at ${x}, ${y}: ${what}; in its place: ${covering}`);
      }
    }
  });
}

/** An expression in the page: what is drawn at a point instead of the content of a dialog, or null. */
const coveringAt = (x: number, y: number) => `(() => {
  const there = document.elementFromPoint(${x}, ${y});
  const isContent = there?.closest('[role=dialog]') != null && there.closest('header, .dialog-actions') === null;
  return isContent ? null : (there?.outerHTML.slice(0, 500) ?? 'nothing, it is outside the window');
})()`;

/** Brings all into sight that has to be seen before an approval; returns its button, which works. */
export async function untilShown(dialog: Locator, approve: string): Promise<Locator> {
  const ready = dialog.locator('button:enabled', { hasText: approve });
  const show = dialog.getByRole('button', { name: 'Show the rest' });
  while ((await ready.count()) === 0) {
    await ready.or(show).first().waitFor();
    // What it leads to may come into sight meanwhile, and the button goes.
    await show.click({ timeout: showMs }).catch(() => undefined);
  }
  await ready.waitFor();
  return ready;
}

export async function pressWhenShown(dialog: Locator, approve: string): Promise<void> {
  await (await untilShown(dialog, approve)).click();
}

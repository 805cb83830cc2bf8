import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';

/** Long enough for an opening dialog to settle; nothing is scrolled meanwhile. */
const restsWithinMs = 10_000;

/** Whether its upper and its lower edge are drawn in the dialog, below its title and above its buttons, once it has settled. */
export function isInSightOfDialog(page: Page, what: Locator): Promise<boolean> {
  const look = async () => {
    if (!(await isDrawn(page, what))) {
      throw new Error('not in sight');
    }
  };
  return eventually(look, { withinMs: restsWithinMs }).then(
    () => true,
    () => false,
  );
}

async function isDrawn(page: Page, what: Locator): Promise<boolean> {
  const box = await what.boundingBox();
  if (box === null) {
    return false;
  }
  const drawn = (y: number) =>
    page.evaluate<boolean>(`(() => {
      const there = document.elementFromPoint(${box.x + Math.min(box.width / 2, 40)}, ${y});
      return there?.closest('[role=dialog]') != null && there.closest('header, .dialog-actions') === null;
    })()`);
  return (await drawn(box.y + 2)) && (await drawn(box.y + box.height - 2));
}

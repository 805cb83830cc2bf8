/** A change that the API refuses, and how the page must show the refusal: in view, with the focus on it. */
import type { Page } from 'playwright-core';
import { inPage, type Visitor } from './browser.ts';

/** The element with the focus, or what it labels as wrong, is drawn inside the window. */
export const focusInView = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  return document.activeElement !== document.body && top >= 0 && bottom <= innerHeight;
})()`;

export const focusOnAlert = `document.activeElement.role === 'alert'`;

/** The page's message about the refusal. */
export const refusalIn = (page: Page) =>
  page.getByRole('alert').filter({ hasText: 'elsewhere: is refused on purpose' });

/** Every change at `address` is refused by the API, for a reason that no field of the form shows. */
export async function refuseChanges(visitor: Visitor, address: string | RegExp = '**/api/**'): Promise<void> {
  visitor.expectInConsole(/422|401/);
  const fields = [{ path: 'elsewhere', code: 'custom', message: 'is refused on purpose' }];
  await visitor.page.route(address, (route) =>
    ['GET', 'HEAD'].includes(route.request().method())
      ? route.fallback()
      : route.fulfill({
          status: 422,
          json: { error: { code: 'validation_failed', message: 'Not valid.', fields, request_id: 'r' } },
        }),
  );
}

/** Refuses what one button sends, once, and waits for the refusal to be in view with the focus on it. */
export async function refuseOnce(visitor: Visitor, address: RegExp, button: string): Promise<void> {
  const { page } = visitor;
  await refuseChanges(visitor, address);
  await page.getByRole('button', { name: button }).click();
  await refusalIn(page).waitFor();
  await inPage(page, `the focus after ${button}`, focusOnAlert);
  await inPage(page, `the refusal of ${button} in view`, focusInView);
  await page.unroute(address);
}

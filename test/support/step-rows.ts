/** The steps of a scripted agent in its form: as rows, and as the JSON that they are. */
import type { Page } from 'playwright-core';

/** What the form offers as an example. */
export const exampleSteps = JSON.stringify({
  steps: [
    { call: 'platform.emit_status', arguments: { status: 'Working' } },
    { call: 'platform.end_session', arguments: { outcome: 'completed', summary: 'Done.' } },
  ],
});

/** Between the two steps of the example: a call with what the first one saves. */
export async function addStep(page: Page): Promise<void> {
  const first = page.getByRole('group', { name: 'Step 1', exact: true });
  await first.getByRole('button', { name: 'Expect or keep something' }).click();
  await first.getByRole('button', { name: 'Add variable' }).click();
  await first.getByRole('textbox', { name: 'Variable 1' }).fill('at');
  await first.getByRole('textbox', { name: 'Where in the result of at' }).fill('a.0');
  await page.getByRole('button', { name: 'Add step' }).click();
  const third = page.getByRole('group', { name: 'Step 3', exact: true });
  await third.getByText('must be <server>.<tool>').waitFor();
  await third
    .getByRole('textbox', { name: 'Tool' })
    .or(third.getByRole('combobox', { name: 'Tool' }))
    .fill('platform.emit_status');
  await page.keyboard.press('Escape');
  await third.getByRole('button', { name: 'Add argument' }).click();
  await third.getByRole('textbox', { name: 'Argument 1' }).fill('status');
  await third.getByRole('button', { name: 'Saved value for Value of status' }).click();
  await page.getByRole('menuitem', { name: 'at' }).click();
  await third.getByText('saved: at').waitFor();
  await page.getByRole('button', { name: 'Move step 3 up' }).click();
}

/** The steps as the form's second view has them. */
export async function readJson(page: Page): Promise<string> {
  await page.getByText('JSON', { exact: true }).click();
  return page.getByRole('textbox', { name: 'Steps as JSON' }).inputValue();
}

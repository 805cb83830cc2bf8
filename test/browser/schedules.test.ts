/** Schedules in a real browser: made, run, paused, changed and deleted, by their maker and seen by others. */
import { beforeAll, expect, it } from '@jest/globals';
import { waitForever } from '../support/asking-steps.ts';
import { describeInBrowser } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import type { DemoPerson } from '../support/demo-workspace.ts';

describeInBrowser('schedules in the web UI', () => {
  const demo = demoInBrowser();
  let agentId: string;

  beforeAll(async () => {
    const max = await demo.signIn('max');
    ({ id: agentId } = await max.createAgent('reporter', [waitForever], {}));
  });

  const open = async (as: DemoPerson, path: string, context = {}) => {
    const visitor = await demo.visit(as, context);
    await visitor.open(path);
    return visitor;
  };

  it('are made from the agent’s page, run, paused, resumed and deleted by their maker', async () => {
    const visitor = await open('max', `agents/${agentId}`, { timezoneId: 'America/New_York' });
    const { page } = visitor;
    await page.getByRole('main').getByRole('link', { name: 'Schedules' }).click();
    await page.getByText('No schedules yet').waitFor();
    await page.getByRole('link', { name: 'New schedule' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Weekly report');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('Write the report of the week.');
    const meaning = page.getByRole('region', { name: 'What it means' });
    await meaning.getByText('Weekdays at 09:00 (America/New_York)').waitFor();
    await page.getByRole('button', { name: 'Saturday' }).click();
    await page.getByLabel('At', { exact: true }).fill('07:30');
    await meaning.getByText(/^Mondays, .* and Saturdays at 07:30/).waitFor();
    await meaning.getByText('30 7 * * MON,TUE,WED,THU,FRI,SAT').waitFor();
    await page.getByText('Cron', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 9 30 2 *');
    await meaning.getByText('once the times are right').waitFor();
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    expect(await zone.inputValue()).toBe('America/New_York');
    await zone.fill('Europe/Berlin');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByText('never fires: none of its months has such a day').waitFor();
    await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 9 * * MON');
    await meaning.getByText('Mondays at 09:00 (Europe/Berlin)').waitFor();
    expect(await meaning.getByRole('listitem').count()).toBe(5);
    await visitor.checkAccessibility();
    await visitor.picture('schedule-form');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByRole('heading', { name: 'Weekly report', level: 1 }).waitFor();
    const next = page.getByRole('list', { name: 'Next runs' }).getByRole('listitem');
    await next.first().waitFor();
    expect(await next.count()).toBe(5);
    expect(await next.first().innerText()).toMatch(
      /^Mon.* 09:00 \(Europe\/Berlin\), for you Mon.* 0[34]:00 \(America\/New_York\)$/,
    );

    await page.getByRole('button', { name: 'Run now' }).click();
    const history = page.getByRole('table', { name: 'History' });
    await history.getByText('Running').waitFor();
    await visitor.picture('schedule');
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('The session of an earlier run has not ended').waitFor();
    visitor.expectInConsole(/409/);

    await history.getByRole('link', { name: /^Session / }).click();
    const facts = page.getByRole('region', { name: 'About this session' });
    await facts.getByRole('link', { name: 'Weekly report' }).waitFor();
    await visitor.checkAccessibility(facts);
    await visitor.picture('scheduled-session');
    await facts.getByRole('link', { name: 'Weekly report' }).click();

    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause Weekly report?' });
    await dialog.getByRole('textbox', { name: 'Note' }).fill('On holiday');
    await visitor.checkAccessibility();
    await dialog.getByRole('button', { name: 'Pause schedule' }).click();
    await page.getByText('This schedule is paused').waitFor();
    await page.getByText('On holiday').waitFor();
    await visitor.picture('schedule-paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await next.first().waitFor();
    await visitor.leave();
  });

  it('say in their history why a session failed', async () => {
    const [ada, max] = [await demo.signIn('ada'), await demo.signIn('max')];
    await ada.ok('PUT', `${ada.workspace}/secrets/NIGHT_TOKEN`, { value: 'never to be shown' });
    const { agent } = await max.ok<{ agent: { id: string } }>('POST', `${max.workspace}/agents`, {
      ...{ name: 'night-watch', run: { type: 'builtin', name: 'scripted' } },
      env: { TOKEN: '${NIGHT_TOKEN}' },
    });
    const nightly = { agent_id: agent.id, name: 'Nightly', prompt: '' };
    const { schedule } = await max.ok<{ schedule: { id: string } }>('POST', `${max.workspace}/schedules`, {
      ...{ ...nightly, spec: { kind: 'cron', expression: '0 0 1 1 *' } },
    });
    await ada.ok('DELETE', `${ada.workspace}/secrets/NIGHT_TOKEN`);
    const visitor = await open('max', `schedules/${schedule.id}`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Run now' }).click();
    const history = page.getByRole('table', { name: 'History' });
    await history.getByText('Failed').waitFor();
    await history.getByText('variable TOKEN needs secret NIGHT_TOKEN, which is not set').waitFor();
    await visitor.checkAccessibility();
    await visitor.leave();
    await max.ok('DELETE', `${max.workspace}/schedules/${schedule.id}`);
  });

  it('are seen by others without what they hold, and deleted by an admin', async () => {
    const nora = await demo.signIn('nora');
    const ada = await demo.signIn('ada');
    await ada.ok('PUT', `${ada.workspace}/members/${(await nora.me()).user.id}`, { role: 'member' });
    const other = await open('nora', 'schedules');
    await other.page.getByRole('link', { name: 'Weekly report' }).click();
    await other.page.getByText('Only who created it and workspace admins see its prompt').waitFor();
    expect(await other.page.getByText('Write the report').count()).toBe(0);
    expect(await other.page.getByRole('button', { name: 'Run now' }).count()).toBe(0);
    await other.leave();

    const admin = await open('ada', 'schedules');
    const { page } = admin;
    await page
      .getByRole('table', { name: 'Schedules' })
      .getByText('Mondays at 09:00 (Europe/Berlin)')
      .waitFor();
    await admin.checkAccessibility();
    await admin.picture('schedules');
    await page.getByRole('link', { name: 'Weekly report' }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText('Interval', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Every' }).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be from 1 s to').waitFor();
    await admin.checkAccessibility();
    await page.getByRole('textbox', { name: 'Every' }).fill('90m');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Every 1 h 30 min').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete schedule' }).click();
    await page.getByText('No schedules yet').waitFor();
    await admin.leave();
  });
});

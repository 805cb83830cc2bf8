/**
 * What every form does alike when it cannot be sent: the problem scrolls into view, takes the focus, and
 * disappears once it is fixed.
 */
import { beforeAll, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describeInBrowser, inPage, phone, type Visitor } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { focusInView, focusOnAlert, refusalIn, refuseChanges } from '../support/refused-changes.ts';
import { type FormSubjects, makeFormSubjects, type WebForm, webForms } from '../support/web-forms.ts';

const laptop = { viewport: { width: 1280, height: 720 } };
/** An address without a form. */
const elsewhere = '/_/nothing';

/** How a window of a phone's size would hold what is shown. */
interface OnPhone {
  isTooWide: boolean;
  /** Something has to be scrolled: the page, or what a dialog holds. */
  isTooHigh: boolean;
}
const onPhone = `(() => {
  const { scrollWidth, scrollHeight } = document.documentElement;
  const scrolls = (one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY);
  const inDialog = [...document.querySelectorAll('[role=dialog], [role=dialog] :not(textarea)')];
  return { isTooWide: scrollWidth > innerWidth, isTooHigh: scrollHeight > innerHeight || inDialog.some(scrolls) };
})()`;

describeInBrowser('forms in the web UI', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;
  let subjects: FormSubjects;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
    subjects = await makeFormSubjects(ada);
  });

  const press = (page: Page, name: string, inside = 'main') =>
    page.locator(inside).getByRole('button', { name, exact: true }).click();

  /** What the form does wrong with the refusal; null for nothing. */
  async function faultOf(
    visitor: Visitor,
    form: WebForm,
    then: () => Promise<string | null>,
  ): Promise<string | null> {
    const { page } = visitor;
    await visitor.open(elsewhere);
    if (form.isForSignedOut) {
      await page.context().clearCookies();
      await visitor.load(form.at(subjects));
    } else {
      await visitor.open(form.at(subjects));
    }
    await form.fill?.(page);
    await press(page, form.submit, form.inside);
    const alert = refusalIn(page);
    const isSaid = await alert.waitFor().then(
      () => true,
      () => false,
    );
    if (!isSaid) {
      return 'says nothing of the refusal';
    }
    const focus = form.keepsFocus ? `document.activeElement.tagName === 'TEXTAREA'` : focusOnAlert;
    await inPage(page, `the focus of ${form.submit}`, focus);
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    if ((await page.evaluate<number>('document.documentElement.scrollWidth')) > width) {
      return 'is wider than the window';
    }
    // What loads late above it moves it.
    const isInView = await untilFound('the refusal in view', async () => {
      const box = await alert.boundingBox();
      const isWhole = box !== null && box.y >= 0 && box.y + box.height <= height;
      return isWhole && (await page.evaluate<boolean>(focusInView)) ? true : null;
    }).catch(() => false);
    if (!isInView) {
      return 'shows it out of view';
    }
    const fault = await then();
    if (fault !== null) {
      return fault;
    }
    await form.change?.(page);
    await (form.change === undefined ? undefined : alert.waitFor({ state: 'detached' }));
    return null;
  }

  /**
   * What each of the forms does wrong in a window of this size. `then` is called with the refusal in view.
   */
  async function faultsOf(
    forms: Record<string, WebForm>,
    context: BrowserContextOptions,
    then: (page: Page, name: string) => Promise<string | null>,
  ): Promise<Record<string, string>> {
    const visitor = await demo.visit('ada', context);
    await refuseChanges(visitor);
    const faults: Record<string, string> = {};
    for (const [name, form] of Object.entries(forms)) {
      const look = () => then(visitor.page, name);
      const fault = await faultOf(visitor, form, look).catch((error: unknown) => String(error));
      Object.assign(faults, fault === null ? {} : { [name]: fault });
    }
    await visitor.leave();
    return faults;
  }

  it('each bring a refusal of the API into view and focus it, until a field changes', async () => {
    const high: Record<string, WebForm> = {};
    const faults = await faultsOf(webForms, laptop, async (page, name) => {
      await page.setViewportSize({ width: 390, height: 844 });
      const { isTooWide, isTooHigh } = await page.evaluate<OnPhone>(onPhone);
      await page.setViewportSize(laptop.viewport);
      Object.assign(high, isTooHigh ? { [name]: webForms[name] } : {});
      return isTooWide ? 'is wider than a phone' : null;
    });
    expect(faults).toEqual({});
    // What a phone shows whole is in view on it as on the laptop.
    process.stdout.write(`${Object.keys(high).length} forms are higher than a phone\n`);
    expect(Object.keys(high)).not.toEqual([]);
    expect(await faultsOf(high, phone, async () => null)).toEqual({});
  });

  it('lead to the first invalid field, and drop the message of an old value', async () => {
    for (const context of [laptop, phone]) {
      const visitor = await demo.visit('ada', context);
      visitor.expectInConsole(/409|422/);
      const { page } = visitor;
      await visitor.open('catalog/_/new');
      const [entry, command] = [
        page.getByRole('textbox', { name: 'Name' }),
        page.getByRole('textbox', { name: 'Command' }),
      ];
      await press(page, 'Register');
      const isFocused = (label: string) =>
        inPage(
          page,
          `the focus on ${label}`,
          `document.activeElement.labels?.[0]?.textContent.startsWith('${label}')`,
        );
      await isFocused('Name');
      await entry.fill('files');
      await press(page, 'Register');
      await isFocused('Command');
      await command.fill('node');
      await press(page, 'Register');
      await page
        .getByText(/already/)
        .first()
        .waitFor();
      await inPage(page, 'the first invalid field in view', focusInView);
      await entry.fill('files-again');
      await page.getByText(/already/).waitFor({ state: 'detached' });
      expect(await page.locator('[aria-invalid=true], [role=alert]').count()).toBe(0);
      await visitor.leave();
    }
  });

  it('ask before a link, Back or a reload drops input that may hold secrets', async () => {
    const visitor = await demo.visitAlone('ada');
    const { page } = visitor;
    const asked: string[] = [];
    let answer: 'accept' | 'dismiss' = 'dismiss';
    page.on('dialog', (question) => {
      asked.push(question.type());
      void question[answer]();
    });
    const text = page.getByRole('textbox', { name: 'Configuration' });
    const pasteInto = async () => {
      await visitor.load('catalog');
      await page.getByRole('link', { name: 'Import configuration' }).click();
      await text.fill('{ "mcpServers": { "a": { "command": "x" } } }');
    };
    const link = page.getByRole('link', { name: 'Agents' });
    const leave: [string, () => Promise<unknown>, string][] = [
      ['a link', () => link.click(), `**/${demo.slug}/agents`],
      // Not `goBack`: it waits for a navigation that does not happen when the user declines.
      ['Back', () => page.evaluate('history.back()'), `**/${demo.slug}/catalog`],
    ];
    await pasteInto();
    for (const [way, go] of leave) {
      answer = 'dismiss';
      for (const time of [1, 2]) {
        await go();
        await untilFound(`the question before ${way}`, async () => (asked.length === time ? true : null));
        expect(await text.inputValue()).toContain('mcpServers');
        expect(new URL(page.url()).pathname).toBe(`/app/${demo.slug}/catalog/_/import`);
      }
      asked.length = 0;
    }
    await page.evaluate('setTimeout(() => location.reload())');
    await untilFound('the question before a reload', async () => (asked[0] === 'beforeunload' ? true : null));
    expect(await text.inputValue()).toContain('mcpServers');
    answer = 'accept';
    for (const [, go, address] of leave) {
      await pasteInto();
      await go();
      await page.waitForURL(address);
    }
    // Nothing is typed: no prompt, and one step leads back.
    await page.getByRole('link', { name: 'Import configuration' }).click();
    await text.fill('x');
    await text.fill('');
    asked.length = 0;
    await page.evaluate('history.back()');
    await page.waitForURL(`**/${demo.slug}/catalog`);
    expect(asked).toEqual([]);
    await visitor.leave();
  });

  it('keep an unsaved restriction across navigation', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    const some = page.getByRole('radio', { name: /Only selected MCP servers/ });
    await ada.ok('PUT', `${ada.workspace}/secrets/OPEN_TOKEN`, { value: 'x' });
    await visitor.open('secrets/OPEN_TOKEN');
    await some.check();
    await page.getByRole('combobox', { name: 'MCP servers' }).click();
    await page.getByRole('option', { name: 'files' }).click();
    await page.reload();
    await some.waitFor();
    expect(await some.isChecked()).toBe(true);
    await press(page, 'Save');
    await page.getByText('Saved.').waitFor();
    const path = `${ada.workspace}/secrets/OPEN_TOKEN/uses`;
    expect(await ada.ok('GET', path)).toMatchObject({ allowed_servers: ['files'] });
    expect(
      await page.evaluate('Object.keys(sessionStorage).filter((key) => key.includes("restriction"))'),
    ).toEqual([]);
    await visitor.leave();
  });
});

/** A demo workspace and a browser for the tests of one `describe`. */
import { afterAll, beforeAll } from '@jest/globals';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { openBrowser, type Visitor, visit } from './browser.ts';
import { type DemoPerson, type DemoWorkspace, openDemoWorkspace } from './demo-workspace.ts';

export interface DemoInBrowser extends Omit<DemoWorkspace, 'close'> {
  browser: Browser;
  /** A window in which this person has signed in, as `visit` in browser.ts gives it. */
  visit(as: DemoPerson, context?: BrowserContextOptions): Promise<Visitor>;
  /**
   * A window of its own, for a test that changes what it keeps: its clock, its cookies, what it has loaded.
   */
  visitAlone(as: DemoPerson, context?: BrowserContextOptions): Promise<Visitor>;
}

/**
 * Opens both before the tests and closes them after; what it returns can be used from
 * the first `beforeAll` on.
 */
export function demoInBrowser(): DemoInBrowser {
  let demo: DemoWorkspace | undefined;
  let browser: Browser | undefined;
  const opened = <What>(what: What | undefined): What => {
    if (what === undefined) {
      throw new Error('the workspace and the browser are opened in beforeAll');
    }
    return what;
  };
  beforeAll(async () => {
    // Each is kept as it comes, so that it is closed also when the other fails.
    const openings = [
      openDemoWorkspace().then((made) => {
        demo = made;
      }),
      openBrowser().then((made) => {
        browser = made;
      }),
    ];
    await Promise.all(openings);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });
  const open = (as: DemoPerson, context: BrowserContextOptions, isAlone: boolean) => {
    const { url, slug, people } = opened(demo);
    return visit(opened(browser), { url, slug, people, as, context, isAlone });
  };
  return {
    get url() {
      return opened(demo).url;
    },
    get slug() {
      return opened(demo).slug;
    },
    get people() {
      return opened(demo).people;
    },
    get browser() {
      return opened(browser);
    },
    signIn: (person) => opened(demo).signIn(person),
    startDemoSession: () => opened(demo).startDemoSession(),
    visit: (as, context = {}) => open(as, context, false),
    visitAlone: (as, context = {}) => open(as, context, true),
  };
}

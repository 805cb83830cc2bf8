/**
 * What must be created once although it was sent twice: a resent attempt keeps its key,
 * and the next has another.
 */
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser, type Visitor } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describeInBrowser('the key that a form of the web UI sends', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;
  let agentId: string;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
    agentId = (await ada.createAgent('keyed', [{ sleep_seconds: 0 }], {})).id;
    await ada.ok('PATCH', `/api/agents/${agentId}`, { kind: 'orchestrator' });
  });

  /** A page whose requests to make a grant or session do not arrive until `arrive` is called. */
  async function lossyPage() {
    const visitor = await demo.visit('ada');
    visitor.expectInConsole(/ERR_FAILED|Failed to load resource/);
    const keys: (string | undefined)[] = [];
    let isLost = true;
    await visitor.page.route(/\/(grants|sessions)$/, async (route) => {
      if (route.request().method() !== 'POST') {
        return route.continue();
      }
      keys.push(route.request().headers()['idempotency-key']);
      return isLost ? route.abort() : route.continue();
    });
    const sendWith = async (button: string) => {
      const sent = keys.length;
      await press(visitor.page, button);
      await eventually(() => expect(keys).toHaveLength(sent + 1));
      return keys.at(-1);
    };
    const arrive = () => {
      isLost = false;
    };
    return { visitor, page: visitor.page, sendWith, arrive };
  }

  /** Sends the filled-in form twice, and returns the key that both share. */
  async function keyOfBoth(visitor: Visitor, send: () => Promise<string | undefined>): Promise<string> {
    const key = await send();
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    const alert = visitor.page.getByRole('alert');
    await alert.getByText('The platform is unreachable.', { exact: true }).waitFor();
    expect(await send()).toBe(key);
    return key ?? '';
  }

  const grantsOf = async (type: string) => {
    const path = `${ada.workspace}/grants?agent_subject_id=${agentId}&grant_type=${type}`;
    return (await ada.ok<{ grants: { id: string }[] }>('GET', path)).grants;
  };

  it('for starting a session stays the same across retries, and changes with the prompt', async () => {
    const { visitor, page, sendWith, arrive } = await lossyPage();
    const send = () => sendWith('Start');
    await visitor.open(`sessions/new?agent=${agentId}`);
    await page.getByLabel('Prompt').fill('Go.');
    const first = await keyOfBoth(visitor, send);
    await page.getByLabel('Prompt').fill('Go on.');
    const changed = await keyOfBoth(visitor, send);
    expect(changed).not.toBe(first);
    arrive();
    expect(await send()).toBe(changed);
    await page.waitForURL(/\/sessions\/[0-9a-f-]{36}$/);
    await visitor.open(`sessions/new?agent=${agentId}`);
    await page.getByLabel('Prompt').fill('Go on.');
    expect(await send()).not.toBe(changed);
    await page.waitForURL(/\/sessions\/[0-9a-f-]{36}$/);
    await visitor.leave();
  });

  it('for creating a grant stays the same across retries, and changes with the form', async () => {
    const { visitor, page, sendWith, arrive } = await lossyPage();
    const send = () => sendWith('Create grant');
    await visitor.open(`grants/new?holder=agent:${agentId}`);
    await page.getByRole('combobox', { name: 'Tool scope' }).click();
    await page.getByRole('option', { name: /files\.write/ }).click();
    const first = await keyOfBoth(visitor, send);
    await page.getByLabel('Reason').fill('It writes every day.');
    const changed = await keyOfBoth(visitor, send);
    expect(changed).not.toBe(first);
    arrive();
    expect(await send()).toBe(changed);
    await page.getByText('In effect.', { exact: true }).waitFor();
    expect(await grantsOf('tool_scope')).toHaveLength(1);
    await visitor.leave();
  });

  it('for letting an agent start another stays the same across retries, and changes after a revocation', async () => {
    const { visitor, page, sendWith, arrive } = await lossyPage();
    const send = () => sendWith('Grant');
    const chooseScribe = async () => {
      await page.getByRole('combobox', { name: 'Allow it to start' }).click();
      await page.getByRole('option', { name: 'scribe' }).click();
    };
    await visitor.open(`agents/${agentId}`);
    await page.getByRole('combobox', { name: 'Allow it to start' }).click();
    await page.getByRole('option', { name: 'keyed' }).click();
    const first = await keyOfBoth(visitor, send);
    await chooseScribe();
    const changed = await keyOfBoth(visitor, send);
    expect(changed).not.toBe(first);
    arrive();
    expect(await send()).toBe(changed);
    await press(page, 'Revoke the permission to start scribe');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page
      .getByRole('button', { name: 'Revoke the permission to start scribe' })
      .waitFor({ state: 'detached' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await chooseScribe();
    expect(await send()).not.toBe(changed);
    await page.getByRole('button', { name: 'Revoke the permission to start scribe' }).waitFor();
    expect(await grantsOf('spawn')).toHaveLength(1);
    await visitor.leave();
  });

  it('for letting an agent read a secret stays the same across retries, and changes after a revocation', async () => {
    await ada.ok('PATCH', `/api/agents/${agentId}`, { env: { API_TOKEN: '${DEMO_API_TOKEN}' } });
    const { visitor, page, sendWith, arrive } = await lossyPage();
    const send = () => sendWith('Let the agent read it');
    await visitor.open(`agents/${agentId}`);
    await press(page, 'Let the agent read DEMO_API_TOKEN');
    const key = await keyOfBoth(visitor, send);
    arrive();
    expect(await send()).toBe(key);
    await page.getByText('granted: the agent can read it').waitFor();
    const [grant] = await grantsOf('agent_env');
    await ada.ok('DELETE', `${ada.workspace}/grants/${grant?.id}`);
    await visitor.open(`agents/${agentId}`);
    await press(page, 'Let the agent read DEMO_API_TOKEN');
    expect(await send()).not.toBe(key);
    await page.getByText('granted: the agent can read it').waitFor();
    expect(await grantsOf('agent_env')).toHaveLength(1);
    await visitor.leave();
  });
});

/** What agents share: the page that counts it, and the setting of what embeds their texts. */
import { beforeAll, expect, it } from '@jest/globals';
import type { EmbeddingProvider } from '../../contract/embedding-provider.ts';
import { describeInBrowser, phone } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';

const calls = [
  {
    call: 'platform.graph_write',
    arguments: {
      nodes: [
        { type: 'person', key: 'ada', properties: {} },
        { type: 'person', key: 'max', properties: {} },
        { type: 'team\u202e', key: 'engines', properties: {} },
      ],
    },
    expect: 'ok',
  },
  {
    call: 'platform.graph_relate',
    arguments: {
      from: { type: 'person', key: 'ada' },
      relation: 'member_of',
      to: { type: 'team\u202e', key: 'engines' },
    },
    expect: 'ok',
  },
  {
    call: 'platform.vector_upsert',
    arguments: {
      collection: 'tickets',
      items: [
        { id: 'T-1', text: 'The printer prints blank pages' },
        { id: 'T-2', text: 'The VPN drops' },
      ],
    },
    expect: 'ok',
  },
  {
    call: 'platform.vector_upsert',
    arguments: { collection: 'images', items: [{ id: 'a', vector: [0.1, 0.2, 0.3] }] },
    expect: 'ok',
  },
  { call: 'platform.vector_search', arguments: { collection: 'tickets', text: 'printer' }, expect: 'ok' },
];

describeInBrowser('shared data', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
  });

  it('shows how much there is once agents have stored something, to members, and on a phone', async () => {
    const visitor = await demo.visit('max');
    const { page } = visitor;
    await visitor.open('sessions');
    await page.getByRole('navigation').getByRole('link', { name: 'Shared data' }).click();
    await page.getByRole('heading', { name: 'The graph is empty' }).waitFor();
    await page.getByRole('heading', { name: 'There are no collections' }).waitFor();

    const agent = await ada.createAgent('librarian', calls, {});
    const { id } = await ada.startSession(agent.id);
    expect((await ada.ended(id)).status).toBe('completed');
    await page.reload();
    await page.getByText('3 nodes, 1 edge').waitFor();
    const types = page.getByRole('table', { name: 'Types of nodes' });
    await types.getByRole('row', { name: 'person 2' }).waitFor();
    // What an agent wrote to look like something else is seen for what it is.
    expect(await types.innerText()).not.toContain('\u202e');
    await page.getByRole('table', { name: 'Relations' }).getByRole('row', { name: 'member_of 1' }).waitFor();
    const collections = page.getByRole('table', { name: 'Collections' });
    const tickets = collections.getByRole('row').filter({ hasText: 'tickets' });
    await tickets.getByText('texts, by their spelling').waitFor();
    expect(await tickets.innerText()).toMatch(/2\s+512/);
    await visitor.checkAccessibility();
    await visitor.picture('shared-data');
    // It is Ada's, so that Max is not shown it.
    visitor.expectInConsole(/403/);
    await tickets.getByRole('link', { name: 'a session' }).click();
    await page.waitForURL(`**/sessions/${id}`);
    await page.getByText('You do not have access').waitFor();
    await visitor.leave();

    const small = await demo.visit('max', { ...phone, colorScheme: 'dark' });
    await small.open('data');
    await small.page.getByText('3 nodes, 1 edge').waitFor();
    await small.page.getByRole('table', { name: 'Collections' }).waitFor();
    const wider = await small.page.evaluate<number>(
      'document.documentElement.scrollWidth - window.innerWidth',
    );
    expect(wider).toBeLessThanOrEqual(0);
    await small.checkAccessibility();
    await small.leave();
  });

  it('has an admin set what embeds texts, and names its key by its secret', async () => {
    await ada.ok('PUT', `${ada.workspace}/secrets/MODEL_KEY`, { value: 'sk-not-shown' });
    const visitor = await demo.visit('ada');
    visitor.expectInConsole(/status of 422/);
    const { page } = visitor;
    await visitor.open('settings');
    const part = page.getByRole('region', { name: 'Embedding provider' });
    await part.getByLabel('Address').fill('http://models.example.com/v1');
    await part.getByLabel('Model').fill('text-embedding-3-small');
    await part.getByPlaceholder('Choose a secret').click();
    await page.getByRole('option', { name: 'MODEL_KEY' }).click();
    await part.getByRole('button', { name: 'Save provider' }).click();
    await part.getByText('must begin with https://').waitFor();
    await visitor.checkAccessibility(part);
    await part.getByLabel('Address').fill('https://models.example.com/v1');
    await part.getByRole('button', { name: 'Save provider' }).click();
    await part.getByText('Saved.').waitFor();
    const stored = () =>
      ada.ok<{ embedding_provider: EmbeddingProvider | null }>('GET', `${ada.workspace}/embedding-provider`);
    expect(await stored()).toMatchObject({
      embedding_provider: {
        ...{ base_url: 'https://models.example.com/v1', model: 'text-embedding-3-small' },
        ...{ dimensions: null, api_key: '${MODEL_KEY}' },
      },
    });
    await part.getByRole('button', { name: 'Check provider' }).click();
    await part.getByText('It does not work: The embedding provider').waitFor();
    await visitor.open('secrets/MODEL_KEY');
    await page.getByRole('link', { name: 'Workspace settings' }).click();
    await part.getByRole('button', { name: 'Remove provider' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await eventually(async () => expect(await stored()).toEqual({ embedding_provider: null }));
    await part.getByRole('button', { name: 'Remove provider' }).waitFor({ state: 'detached' });
    expect(await part.getByLabel('Model').inputValue()).toBe('');
    await visitor.leave();
  });
});

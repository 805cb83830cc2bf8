/** An agent's access to a language model: in its form, its grant, and what a session of it uses. */
import { beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import type { Db } from '../../store/database.ts';
import { waitForever } from '../support/asking-steps.ts';
import { describeInBrowser } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { sharedPlatform } from '../support/shared-platform.ts';

describeInBrowser('model access in the web UI', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
  });

  const inDatabase = async (work: (db: Db) => Promise<unknown>) =>
    withPlatformDatabase(await sharedPlatform(), work);

  it('is given in the form, and its key is granted on the agent’s page', async () => {
    const agent = await ada.createAgent('thinker', [waitForever], {});
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open(`agents/${agent.id}/edit`);
    const fields = page.getByRole('region', { name: 'Model access' });
    expect(await fields.getByLabel('Requests per session').count()).toBe(0);
    await fields.getByRole('combobox', { name: 'Secret with the API key' }).click();
    await page.getByRole('option', { name: 'DEMO_API_TOKEN', exact: true }).click();
    const missing = fields.getByRole('note').filter({ hasText: 'Sessions start only once' });
    await missing.waitFor();
    await fields.getByRole('textbox', { name: 'Models' }).fill('not a model');
    await fields.getByLabel('Requests per session').fill('25');
    await page.getByRole('button', { name: 'Save' }).click();
    await fields.getByText('must be the name of a model').waitFor();
    await visitor.checkAccessibility();
    await fields.getByRole('textbox', { name: 'Models' }).fill('a-model');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not granted: sessions will not start.').waitFor();
    await page.getByRole('button', { name: 'Let the agent use DEMO_API_TOKEN' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Let the agent use it' }).click();
    await page.getByText('granted: the platform asks the model with it').waitFor();
    await visitor.picture('model-access');
    await page.getByRole('link', { name: 'granted: the platform asks the model with it' }).click();
    const allowed = page.getByRole('table', { name: 'What it allows' });
    await allowed.getByText('DEMO_API_TOKEN at the endpoint default only').waitFor();
    await visitor.open(`agents/${agent.id}/edit`);
    await fields.getByText('The agent has the grant to use this key.').waitFor();
    expect(await missing.count()).toBe(0);
    expect(await ada.ok<{ agent: Agent }>('GET', `/api/agents/${agent.id}`)).toMatchObject({
      agent: {
        model_access: {
          endpoint: 'default',
          api_key: '${DEMO_API_TOKEN}',
          models: ['a-model'],
          requests_per_session: 25,
          tokens_per_session: 5_000_000,
        },
      },
    });
    await visitor.leave();
  });

  it('shows what a session uses while it runs', async () => {
    const agent = await ada.createAgent('user', [waitForever], {});
    const { id } = await ada.startSession(agent.id);
    const access = {
      endpoint: 'default',
      dialect: 'messages',
      api_key: { kind: 'secret', secret_name: 'DEMO_API_TOKEN', secret_version: 1 },
      models: [],
      requests_per_session: 20,
      tokens_per_session: 10_000,
    };
    // Only then: its launch would be refused with it.
    await eventually(async () => {
      expect((await ada.session(id)).status).toBe('running');
    });
    await inDatabase((db) =>
      db('session_configurations')
        .where({ session_id: id })
        .update({
          configuration: db.raw(`jsonb_set(configuration, '{agent,model_access}', ?::jsonb)`, [
            JSON.stringify(access),
          ]),
        }),
    );
    await inDatabase((db) => db('model_usage').insert({ session_id: id, requests: 4, input_tokens: 1500 }));
    await inDatabase((db) =>
      db('model_usage_days').insert({
        ...{ session_id: id, day: db.raw(`(now() at time zone 'utc')::date`), endpoint: 'default' },
        ...{ requests: 4, failed_requests: 0, input_tokens: 1500, output_tokens: 0 },
        ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
      }),
    );
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open(`sessions/${id}`);
    const panel = page.getByRole('region', { name: 'Model usage' });
    await panel.getByText('4 of 20').waitFor();
    await panel.getByText('1,500 of 10,000').waitFor();
    await visitor.checkAccessibility(panel);
    await inDatabase((db) =>
      db('model_usage').where({ session_id: id }).update({ requests: 20, requests_reached_at: db.fn.now() }),
    );
    await panel.getByText('the limit of requests is reached').waitFor();
    const notice = page.getByRole('region', { name: 'Message to the agent' }).getByRole('status');
    await notice.getByText('used up its budget of 20 requests').waitFor();
    const itsAgent = notice.getByRole('link', { name: 'Open the agent' });
    expect(await itsAgent.getAttribute('href')).toContain(`/agents/${agent.id}`);
    await visitor.picture('model-usage');
    await page.getByRole('tab', { name: 'Setup' }).click();
    const setup = page.getByRole('region', { name: 'Configuration' });
    await setup.getByText('up to 20 requests and 10,000 tokens').waitFor();
    const model_access = { api_key: '${DEMO_API_TOKEN}' };
    await ada.ok('PATCH', `/api/agents/${agent.id}`, { model_access });
    await itsAgent.click();
    const byDay = page.getByRole('table', { name: 'Tokens by day' });
    await byDay.getByRole('row', { name: /default 1 4 1,500/ }).waitFor();
    await visitor.leave();
  });
});

/**
 * Grants that lose their effect when an entry is reserved for admins, and grants that an edit
 * of an agent would revoke.
 */
import { beforeAll, expect, it } from '@jest/globals';
import { waitForever } from '../support/asking-steps.ts';
import { describeInBrowser } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';

describeInBrowser('an admin-only entry', () => {
  const demo = demoInBrowser();
  let max: FrontDoor;
  let grantId: string;

  beforeAll(async () => {
    max = await demo.signIn('max');
    const { grant } = await max.ok<{ grant: { id: string } }>('POST', `${max.workspace}/grants`, {
      user_subject_id: (await max.me()).user.id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'persistent',
    });
    grantId = grant.id;
  });

  it('names the grants that will have no effect before it is saved, and the grants say so afterwards', async () => {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('catalog/files/edit');
    await page.getByRole('radio', { name: "The session's operator, and admins" }).waitFor();
    const note = page.getByRole('note').filter({ hasText: 'Grants from members will have no effect' });
    expect(await note.count()).toBe(0);
    await page.getByRole('radio', { name: 'Admins only' }).check();
    await note.getByRole('link', { name: 'files.write' }).waitFor();
    await note.getByText('by Max Member').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**/${demo.slug}/catalog/files`);
    await visitor.open('grants');
    await page.getByText('it has no effect').waitFor();
    await visitor.open(`grants/${grantId}`);
    await page.getByRole('note').filter({ hasText: 'a member created it' }).waitFor();
    await visitor.leave();
  });

  it('names those of sessions with an earlier version at every edit, and on its page afterwards', async () => {
    const ada = await demo.signIn('ada');
    const entries = `${ada.workspace}/mcp-servers`;
    const entry = {
      name: 'notes',
      shape: { type: 'command', command: 'mcp-server-filesystem', args: ['.'] },
      network: 'none',
    };
    const gated = (scope: string) => ({ ...entry, manifest: { tool_scopes: { write_file: scope } } });
    await ada.ok('POST', entries, gated('notes.write'));
    for (const scope of ['notes.write', 'notes.new']) {
      await max.ok('POST', `${max.workspace}/grants`, {
        user_subject_id: (await max.me()).user.id,
        grant_type: 'tool_scope',
        details: { scope },
        scope: 'persistent',
      });
    }
    const agent = await max.createAgent('note-taker', [waitForever], { notes: {} });
    const session = await max.startSession(agent.id);
    await untilFound('the session that runs', async () =>
      (await max.session(session.id)).status === 'running' ? true : null,
    );
    await ada.ok('PUT', `${entries}/notes`, entry);

    const visitor = await demo.visit('ada');
    const { page } = visitor;
    const note = page.getByRole('note').filter({ hasText: 'Grants from members' });
    await visitor.open('catalog/notes/edit');
    await page.getByRole('radio', { name: 'Admins only' }).check();
    await note.getByText('will have no effect').waitFor();
    await note.getByRole('link', { name: 'notes.write' }).waitFor();
    expect(await note.getByRole('link', { name: 'notes.new' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`**/${demo.slug}/catalog/notes`);
    await note.getByText('members have no effect').waitFor();
    await note.getByRole('link', { name: 'notes.write' }).waitFor();

    // An edit that only adds a scope names the grants that this costs, not those that already do not count.
    await visitor.open('catalog/notes/edit');
    await page
      .getByRole('textbox', { name: 'Tools and variables' })
      .fill('{ "tool_scopes": { "write_file": "notes.new" } }');
    await note.getByRole('link', { name: 'notes.new' }).waitFor();
    expect(await note.getByRole('link', { name: 'notes.write' }).count()).toBe(0);
    await max.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('is attached and detached after the same warning as an edit of the agent', async () => {
    const agent = await max.createAgent('attached', [], { files: {} });
    const sentence = 'revokes those of its grants that you could not create yourself';
    const visitor = await demo.visit('max');
    const { page } = visitor;
    for (const path of ['edit', 'servers/files']) {
      await visitor.open(`agents/${agent.id}/${path}`);
      await page.getByRole('note').filter({ hasText: sentence }).waitFor();
    }
    await visitor.open(`agents/${agent.id}`);
    await page.getByRole('button', { name: 'Detach files' }).click();
    await page.getByRole('dialog').getByText(sentence).waitFor();
    await visitor.leave();
  });
});

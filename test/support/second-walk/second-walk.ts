/**
 * The second walk of README in a browser: its eight steps with the labels that are there, an agent of
 * somebody else, a repository behind https, a scripted model, and the demo's own server that pushes.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { ModelUsage } from '../../../contract/model-access.ts';
import type { Visitor } from '../browser.ts';
import { eventually, untilFound } from '../eventually.ts';
import { chooseTestPort } from '../free-port.ts';
import { FrontDoor } from '../front-door.ts';
import { type GitServer, gitPassword, startGitServer } from '../git-server.ts';
import { type Platform, startPlatform } from '../platform.ts';
import {
  description,
  firstThought,
  lastThought,
  newBranch,
  startWalkModel,
  type WalkModel,
  walkModelName,
} from './walk-model.ts';

const heading = '## Walk through it with your repository, agent and key';
const modelKey = 'sk-of-whoever-walks';

/** What a step of README names: labels of the UI in italics, and what is typed or chosen as code. */
interface Step {
  labels: string[];
  codes: string[];
  prompt: string;
}

function readSteps(): Step[] {
  const [, after = ''] = readFileSync('README.md', 'utf8').split(`${heading}\n`);
  const [section = ''] = after.split('\n## ');
  const texts = section.split(/^\d\. /m).slice(1);
  return texts.map((each) => {
    const text = (each.split('\n\n')[0] ?? '').replaceAll(/\s+/g, ' ');
    const all = (pattern: RegExp, within: string) =>
      [...within.matchAll(pattern)].map(([, found = '']) => found);
    return {
      labels: all(/_([^_]+)_/g, text.replaceAll(/`[^`]*`|\(docs[^)]*\)/g, '')),
      codes: all(/`([^`]*)`/g, text),
      prompt: /"([^"]+)"/.exec(text)?.[1] ?? '',
    };
  });
}

/** The agent that is walked with; null: the one that README names. */
export type OtherAgent = { label: string; command: string; args: readonly string[] } | null;

export interface WalkPlaces {
  platform: Platform;
  git: GitServer;
  model: WalkModel;
  close(): Promise<void>;
}

/** A platform with the demo's servers, whose endpoint `default` is a stub, and somebody's git host. */
export async function openWalkPlaces(): Promise<WalkPlaces> {
  const port = await chooseTestPort();
  const [git, model] = await Promise.all([startGitServer(), startWalkModel(port)]);
  const address = `http://127.0.0.1:${port}`;
  const platform = await startPlatform({
    env: {
      ...{ MODEL_BASE_URL: address, PRIVATE_MCP_HOSTS: address },
      ...{ PRIVATE_REPOSITORY_HOSTS: `https://${git.host}`, SANDBOX_CA_FILE: git.caFile },
    },
    ...{ usesRunServers: true, withoutDemoSession: true, withDemoRemoteServer: true },
  });
  return {
    ...{ platform, git, model },
    async close() {
      await platform.stop();
      await model.close();
      await git.close();
    },
  };
}

const colourOf = (what: Locator): Promise<string> =>
  what.evaluate((element) => (globalThis as typeof globalThis & Styles).getComputedStyle(element).color);
interface Styles {
  getComputedStyle(of: unknown): { color: string };
}

/** One step at a time; each has to name as many labels as are used of it. */
export class SecondWalk {
  readonly #places: WalkPlaces;
  readonly #visitor: Visitor;
  readonly #page: Page;
  readonly #steps = readSteps();

  constructor(places: WalkPlaces, visitor: Visitor) {
    this.#places = places;
    this.#visitor = visitor;
    this.#page = visitor.page;
  }

  #step(number: number, labels: number): Step & { label: (at: number) => string } {
    const step = this.#steps[number - 1];
    if (step === undefined || step.labels.length !== labels) {
      throw new Error(`step ${number} of README names ${step?.labels.join(', ')}`);
    }
    return { ...step, label: (at) => step.labels[at] ?? '' };
  }

  #press(name: string, within: Page | Locator = this.#page): Promise<void> {
    return within.getByRole('button', { name, exact: true }).click();
  }

  async #choose(field: string, option: string | RegExp): Promise<void> {
    await this.#page.getByRole('combobox', { name: field, exact: true }).click();
    await this.#page.getByRole('option', { name: option }).click();
  }

  async #typeSecret(value: string, set: string): Promise<void> {
    const dialog = this.#page.getByRole('dialog');
    await dialog.getByLabel('Value').fill(value);
    await this.#press(set, dialog);
    await dialog.waitFor({ state: 'detached' });
  }

  async registerRepository(): Promise<void> {
    const { label } = this.#step(1, 6);
    const { host } = this.#places.git;
    await this.#page
      .getByRole('navigation')
      .getByRole('link', { name: label(0) })
      .click();
    const part = this.#page.getByRole('region', { name: 'Repositories' });
    await part.getByLabel(label(1)).fill('project');
    await part.getByLabel(label(2)).fill(host);
    await part.getByLabel(label(3)).fill('team/private');
    await part.getByRole('combobox', { name: label(4) }).waitFor();
    await this.#press('New secret', part);
    await this.#typeSecret(gitPassword, 'Set');
    await this.#press(label(5), part);
    await part.getByText(`project: https://${host}/team/private with \${GIT_TOKEN}`).waitFor();
    await this.#visitor.picture('second-walk-1');
  }

  /** The agent that README names is on offer in any case, also where it is not installed. */
  async chooseAgent(other: OtherAgent): Promise<void> {
    const { label } = this.#step(2, 8);
    await this.#page
      .getByRole('navigation')
      .getByRole('link', { name: label(0) })
      .click();
    await this.#page
      .getByRole('link', { name: label(1) })
      .first()
      .click();
    await this.#page.getByRole('textbox', { name: 'Name' }).fill('coder');
    await this.#choose(label(2), label(3));
    await this.#page.getByRole('combobox', { name: label(4), exact: true }).click();
    const named = this.#page.getByRole('option', { name: new RegExp(`^${label(5)}`) });
    await named.waitFor();
    if (other === null) {
      await named.click();
    } else {
      await this.#page.getByRole('option', { name: other.label }).click();
      await this.#page.getByRole('textbox', { name: 'Command' }).fill(other.command);
      for (const [at, argument] of other.args.entries()) {
        await this.#press('Add argument');
        await this.#page.getByRole('textbox', { name: `Argument ${at + 1}` }).fill(argument);
      }
    }
    await this.#page.getByRole('checkbox', { name: label(6) }).check();
    await this.#page.getByRole('textbox', { name: label(7), exact: true }).fill(walkModelName);
    await this.#visitor.picture('second-walk-2');
  }

  async nameEndpoint(): Promise<void> {
    const { label, codes } = this.#step(3, 4);
    const part = this.#page.getByRole('region', { name: 'Model access' });
    await part.getByRole('combobox', { name: label(0) }).waitFor();
    await this.#press(label(1), part);
    await this.#typeSecret(modelKey, label(2));
    const endpoint = part.getByRole('combobox', { name: label(3) });
    expect(await endpoint.inputValue()).toContain(codes[0]);
    await this.#visitor.picture('second-walk-3');
  }

  async nameRepository(): Promise<void> {
    const { label } = this.#step(4, 4);
    await this.#choose(label(0), /^project /);
    await this.#page.getByRole('textbox', { name: label(1) }).fill('main');
    await this.#visitor.picture('second-walk-4');
    await this.#press(label(2));
    await this.#page.getByRole('button', { name: new RegExp(`^${label(3)} [A-Z_]+$`) }).click();
    await this.#press('Let the agent use it', this.#page.getByRole('dialog'));
    await this.#page.getByText('granted: the platform asks the model with it').waitFor();
  }

  async attachServer(): Promise<void> {
    const { label, codes } = this.#step(5, 2);
    const [server = '', secret = ''] = codes;
    await this.#choose(label(0), server);
    await this.#page.getByRole('combobox', { name: /^Token of the demo/ }).click();
    await this.#page.getByRole('option', { name: secret }).click();
    await this.#visitor.picture('second-walk-5');
    await this.#press(label(1));
    await this.#page.getByRole('button', { name: `Detach ${server}` }).waitFor();
  }

  /** What it writes is seen before it is whole. */
  async startSession(): Promise<void> {
    const { label, prompt } = this.#step(6, 3);
    await this.#page.getByRole('link', { name: label(0) }).click();
    await this.#page.getByLabel(label(1)).fill(prompt);
    await this.#press(label(2));
    const transcript = this.#page.getByRole('region', { name: 'Transcript' });
    const written = transcript.getByRole('listitem').filter({ hasText: firstThought });
    await written.first().waitFor();
    expect(await written.first().textContent()).not.toContain(lastThought.trim());
    await this.#visitor.picture('second-walk-6');
    await written.filter({ hasText: lastThought }).first().waitFor();
  }

  /** Nothing is pushed before; then exactly what was shown. */
  async approvePush(): Promise<void> {
    const { label } = this.#step(7, 1);
    const dialog = this.#page.getByRole('dialog', { name: 'Permission request' });
    const call = dialog.getByRole('region', { name: 'The call that was refused' });
    await call.getByText(`+${description}`).first().waitFor();
    expect(this.#branches()).toEqual(['main']);
    await this.#visitor.picture('second-walk-7');
    await this.#press(label(0), dialog);
    await this.#page
      .getByRole('region', { name: 'Transcript' })
      .getByText(/It says: Pushed [0-9a-f]{40}/)
      .first()
      .waitFor();
    expect(this.#branches()).toEqual([newBranch, 'main']);
    const directory = this.#repository();
    const shown = execFileSync('git', ['--git-dir', directory, 'show', `${newBranch}:summary.md`]);
    expect(String(shown)).toBe(`${description}\n`);
  }

  readonly #repository = () =>
    join(this.#places.platform.dataDirectory, this.#steps[6]?.codes[0]?.replace(/^\.data\//, '') ?? '');
  readonly #branches = () =>
    String(
      execFileSync('git', [
        ...['--git-dir', this.#repository(), 'for-each-ref', '--format=%(refname:short)', 'refs/heads'],
      ]),
    )
      .trim()
      .split('\n');

  /** The patch of a session that runs, in colour, and the tokens as the API counts them. */
  async takePatchAndReadTokens(): Promise<void> {
    const { label } = this.#step(8, 5);
    await this.#page.getByRole('tab', { name: label(0) }).click();
    await this.#press(label(1));
    const artifacts = this.#page.getByRole('region', { name: 'Artifacts' });
    const row = artifacts.getByRole('listitem').filter({ hasText: 'changes-so-far.patch' });
    await this.#press(label(2), row);
    const text = this.#page.getByRole('dialog', { name: 'Artifact' }).getByLabel('Text of the artifact');
    await text.getByText('diff --git a/summary.md b/summary.md').waitFor();
    const added = text.getByText(`+${description}`);
    expect(await colourOf(added)).not.toBe(await colourOf(text));
    await this.#visitor.picture('second-walk-8');
    await this.#page.keyboard.press('Escape');
    await this.#page.getByRole('tab', { name: label(3) }).click();
    const usage = this.#page.getByRole('region', { name: label(4) });
    const ada = await FrontDoor.signIn(this.#places.platform.url, 'ada@demo.test');
    const sessionId = this.#page.url().split('/').at(-1);
    await eventually(async () => {
      const { model_usage: used } = await ada.ok<{ model_usage: ModelUsage }>(
        'GET',
        `/api/sessions/${sessionId}/model-usage`,
      );
      expect(used.counted_tokens).toBeGreaterThan(0);
      const counted = used.counted_tokens.toLocaleString('en');
      expect(await usage.textContent()).toContain(`${counted} of 5,000,000`);
    });
    await this.#visitor.picture('second-walk-9');
  }

  /** The key was sent to the endpoint and shown to nobody; the session ends, and has its patch. */
  async end(): Promise<void> {
    const { model, platform } = this.#places;
    expect(model.did).toEqual(expect.arrayContaining(['asked', 'called', 'finished']));
    const keys = model.headers.map(({ 'x-api-key': key }) => key);
    expect(new Set(keys)).toEqual(new Set([modelKey]));
    const ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    const sessionId = this.#page.url().split('/').at(-1) ?? '';
    expect(JSON.stringify(await ada.events(sessionId))).not.toContain(modelKey);
    await ada.ok('POST', `/api/sessions/${sessionId}/terminate`, {});
    await untilFound('the patch at its end', async () => {
      const path = `/api/sessions/${sessionId}/artifacts`;
      const { artifacts } = await ada.ok<{ artifacts: { name: string; made_by: string }[] }>('GET', path);
      return artifacts.find(({ name, made_by: by }) => name === 'changes.patch' && by === 'platform');
    });
  }
}

import * as z from 'zod';
import { deployPreview } from '../../commands/previews/deploy.ts';
import { previewDomainOf } from '../../config/preview-domain.ts';
import { entryName, timestamp, uuid } from '../../contract/names.ts';
import { adds } from '../../contract/platform-tools.ts';
import {
  defaultPreviewSeconds,
  minPreviewSeconds,
  previewAudience,
  previewTitleLength,
} from '../../contract/preview.ts';
import { frozenServicePort, portVariable } from '../../contract/service-variables.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import { readWorkspaceSlug } from '../../store/workspaces/workspaces.ts';
import { beginService } from '../previews/tell-service.ts';
import { readFiles, sentFiles } from './preview-files.ts';
import { defineTool, type ToolCall, type ToolCaller, type ToolDependencies, ToolFailure } from './tool.ts';

const isTitle = (text: string) =>
  text.trim() !== '' && text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

export const previewDeploy = defineTool({
  name: 'preview_deploy',
  title: 'Deploy a preview',
  annotations: adds,
  description:
    'Shows static files, such as a page with its scripts and pictures, or one of this agent’s services, to people: to all members of the workspace, or to those who may read this session. The files are those of this call; a later version is another preview. A service is started for this preview alone, listens on the port in its variable PORT, and is stopped with the preview or with this session; it may still be starting when this returns. Pages run their own scripts and load their own files, and nothing from elsewhere: no files of other hosts, no cookies or storage, no pop-ups, and no forms but those of a service to itself. The address leads to a page of the platform on which a person opens the preview. It needs no permission; beyond a limit it fails, and calling it again changes nothing.',
  input: z.strictObject({
    files: sentFiles
      .optional()
      .describe(
        'What the preview shows: among them an "index.html", which people see first. Give exactly one of files and service',
      ),
    service: z
      .string()
      .max(32)
      .refine((name) => entryName.safeParse(name).success, 'must be the name of a service')
      .optional()
      .describe(
        'The name of a service of this agent, which the preview shows in place of files. Give exactly one of files and service',
      ),
    ttl_seconds: z
      .int()
      .min(minPreviewSeconds)
      .optional()
      .describe(
        `How long it lives: ${defaultPreviewSeconds} by default, and no longer than the platform allows`,
      ),
    audience: previewAudience
      .optional()
      .describe(
        'Who may open it: all members of the workspace, as with share (default), or those who may read this session',
      ),
    title: z
      .string()
      .max(previewTitleLength)
      .refine(isTitle, 'must have a visible character, be valid Unicode, and have one line')
      .optional()
      .describe('What people read of it before they open it'),
  }),
  output: z.strictObject({
    preview_id: uuid,
    url: z
      .string()
      .describe(
        'Of the page on which people open it; without a host where the platform does not know its own address',
      ),
    expires_at: timestamp,
  }),
  example: {
    input: {
      title: 'Draft of the report',
      files: [
        {
          path: 'index.html',
          text: '<!doctype html><title>Tickets</title><p id="open"></p><script src="app.js"></script>',
        },
        { path: 'app.js', text: 'document.querySelector("#open").textContent = "42 tickets are open"' },
      ],
      ttl_seconds: 7200,
    },
    output: {
      preview_id: '6f1c2d3e-4b5a-4c6d-8e7f-9a0b1c2d3e4f',
      url: 'https://agents.example.com/app/support/previews/6f1c2d3e-4b5a-4c6d-8e7f-9a0b1c2d3e4f',
      expires_at: '2026-11-26T14:00:00.000Z',
    },
  },
  async run({ files, service, ttl_seconds, title, audience = 'workspace' }, caller, dependencies) {
    const { db, config } = dependencies;
    if (files !== undefined && service !== undefined) {
      throw new ToolFailure('validation_failed', 'service: must not be given beside files');
    }
    if (files === undefined && service === undefined) {
      throw new ToolFailure('validation_failed', 'files: is required, or else service');
    }
    if (previewDomainOf(config) === null) {
      const message = 'This platform has no domain for previews; its operator has to set PREVIEW_DOMAIN';
      throw new ToolFailure('not_configured', message);
    }
    const most = config.LIMIT_PREVIEW_SECONDS;
    if (ttl_seconds !== undefined && ttl_seconds > most) {
      throw new ToolFailure('validation_failed', `ttl_seconds: must be ${most} at most`);
    }
    const input = {
      ...{ workspaceId: caller.workspace_id, sessionId: caller.id, agentId: caller.agent_id },
      ...{ callId: caller.call_id, title: title ?? null, audience },
      service: service === undefined ? null : await usableService(db, caller, service),
      files: files === undefined ? [] : readFiles(files, config),
      seconds: ttl_seconds ?? Math.min(defaultPreviewSeconds, most),
    };
    const deployed = await deployPreview(db, input, config);
    if (deployed === null) {
      throw new ToolFailure('not_allowed', 'The session has ended, so nothing can be deployed from it');
    }
    const { id, expires_at, ended_at } = deployed;
    // Also for a call that is sent again: what it stored may not have been begun.
    if (service !== undefined && ended_at === null) {
      await beginService(dependencies, id);
    }
    return { preview_id: id, url: await pageUrl(db, caller, id), expires_at };
  },
});

/** The name, if the session froze such a service and its port is usable. Throws ToolFailure otherwise. */
async function usableService(
  db: ToolDependencies['db'],
  { id: sessionId }: ToolCaller,
  name: string,
): Promise<string> {
  const services = (await readConfiguration(db, sessionId))?.services ?? [];
  const service = services.find((each) => each.name === name);
  if (service === undefined) {
    const names = services.map((each) => each.name).join(', ');
    const which = names === '' ? 'it has none' : `it has ${names}`;
    throw new ToolFailure('not_found', `service: this agent has no service "${name}"; ${which}`);
  }
  const { problem } = frozenServicePort(service.env);
  if (problem !== null) {
    const message = `service: ${portVariable} of "${name}" ${problem}; whoever may edit the agent changes it`;
    throw new ToolFailure('validation_failed', message);
  }
  return name;
}

/** Of the preview's page in the UI, as the agent can tell people. */
async function pageUrl(
  db: ToolDependencies['db'],
  { workspace_id: workspaceId, link_origin: origin }: ToolCall,
  id: string,
): Promise<string> {
  const path = `/app/${await readWorkspaceSlug(db, workspaceId)}/previews/${id}`;
  return origin === null ? path : new URL(path, origin).href;
}

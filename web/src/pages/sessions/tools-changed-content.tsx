/** What a server's tools say of themselves is not what an admin accepted. */
import { Fragment } from 'react';
import { toolsPathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { CodeText } from '../../components/code-text.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { partsOfChange } from '../../text/tool-change-text.ts';
import type { PayloadOf } from './session-event-type.ts';
import { useTranscript } from './transcript-context.ts';
import { useConfiguration } from './use-configuration.ts';

export function ToolsChangedContent({ change }: { change: PayloadOf<'session.tools_changed'> }) {
  const { server, refused } = change;
  return (
    <>
      <VisibleText text={server} /> differs from what is accepted:{' '}
      {partsOfChange(change).map(({ label, tools }, at) => (
        <Fragment key={label}>
          {at === 0 ? '' : '; '}
          {label}
          {tools.map((tool, place) => (
            <Fragment key={tool}>
              {place === 0 ? ' ' : ', '}
              <CodeText text={tool} />
            </Fragment>
          ))}
        </Fragment>
      ))}
      . {refused ? 'Calls of these are refused until an admin accepts them.' : 'Calls of these pass.'}{' '}
      <ToolsLink server={server} />
    </>
  );
}

/** To the version that the session runs with, which may not be the current one. */
function ToolsLink({ server }: { server: string }) {
  const { slug } = useWorkspace();
  const { data } = useConfiguration(useTranscript().sessionId);
  const version = data?.configuration.servers.find(({ name }) => name === server)?.entry_version;
  return <TextLink to={toolsPathOf(slug, server, version)}>View its tools</TextLink>;
}

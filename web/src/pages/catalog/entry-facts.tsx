import { Code } from '@mantine/core';
import type { McpServer } from '../../api/types.ts';
import { CodeText } from '../../components/code-text.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { networkText, shapeLabels, shapeText } from '../../text/shape-text.ts';
import { changedToolsText, unlistedToolsText } from '../../text/tool-policy-text.ts';

/** What an entry runs and may, in words. */
export function EntryFacts({ entry }: { entry: McpServer }) {
  const { shape, network, egress_allow, approvers, client_features } = entry;
  const { image_digest, image_command, image_volumes } = entry;
  return (
    <FactList label={`Configuration of ${entry.name}`}>
      <CodeFact name={shapeLabels[shape.type]} text={shapeText(shape)} />
      {image_digest === null ? null : (
        <Fact name="Digest">
          <Code>{image_digest}</Code>
        </Fact>
      )}
      {image_command === null ? null : <CodeFact name="Image command" text={image_command.join(' ')} />}
      {image_volumes === null || image_volumes.length === 0 ? null : (
        <CodeFact name="Volumes, empty at each start" text={image_volumes.join(' ')} />
      )}
      <Fact name="Network">
        {shape.type === 'remote' ? 'the internet, for the address of the server only' : networkText(network)}
      </Fact>
      {egress_allow.length === 0 ? null : <Fact name="Private destinations">{egress_allow.join(', ')}</Fact>}
      <Fact name="Who can grant its scopes">
        {approvers === 'admin' ? 'admins only' : "the session's operator, and admins"}
      </Fact>
      {entry.require_passkey ? <Fact name="Its scopes are approved">with a passkey</Fact> : null}
      <Fact name="Can ask of the agent">
        {client_features.length === 0 ? 'nothing' : client_features.join(', ')}
      </Fact>
      <Fact name="New and changed tools">{changedToolsText(entry.changed_tools)}</Fact>
      <Fact name="Other tools">
        <VisibleText text={unlistedToolsText(entry)} />
      </Fact>
    </FactList>
  );
}

const CodeFact = ({ name, text }: { name: string; text: string }) => (
  <Fact name={name}>
    <CodeText text={text} />
  </Fact>
);

/**
 * A look at an artifact. It is an agent's: its text is never markup, and only pictures
 * without scripts are drawn.
 */
import { Code, Image, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { watchedFetch } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { keys } from '../../api/keys.ts';
import type { Artifact } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { artifactPath } from './artifact-path.ts';
import { diffLines, isDiff } from './diff-lines.ts';
import { beginningOf, maxPreviewCharacters, previewKind } from './preview-kind.ts';

interface PreviewProps {
  artifact: Artifact | null;
  sessionId: string;
  onClose: () => void;
}

export function ArtifactPreview({ artifact, sessionId, onClose }: PreviewProps) {
  return (
    <Modal opened={artifact !== null} onClose={onClose} size="xl" title="Artifact">
      {artifact === null ? null : <Content artifact={artifact} sessionId={sessionId} />}
    </Modal>
  );
}

function Content({ artifact, sessionId }: { artifact: Artifact; sessionId: string }) {
  const query = useQuery({
    queryKey: keys.session(sessionId, 'artifacts', artifact.id),
    async queryFn({ signal }) {
      const answer = await watchedFetch(artifactPath(sessionId, artifact.id), { signal });
      if (!answer.ok) {
        throw failureOf(answer, await answer.json().catch(() => null));
      }
      return answer.arrayBuffer();
    },
    // The bytes of an artifact never change.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const kind = previewKind(artifact);
  return (
    <QueryState query={query} what="The artifact">
      {(bytes) => (
        <>
          <Text size="sm" c="dimmed" mb="xs" component="div">
            <VisibleText text={artifact.name} />
          </Text>
          {kind?.as === 'image' ? (
            <Picture bytes={bytes} type={kind.type} name={artifact.name} />
          ) : (
            <Words bytes={bytes} isPatch={isDiff(artifact)} />
          )}
        </>
      )}
    </QueryState>
  );
}

function Words({ bytes, isPatch }: { bytes: ArrayBuffer; isPatch: boolean }) {
  const { text, cut } = beginningOf(new TextDecoder().decode(bytes));
  return (
    <>
      {cut ? (
        <Banner tone="idle">
          Showing the first {maxPreviewCharacters.toLocaleString('en')} characters. Download it to see the
          rest.
        </Banner>
      ) : null}
      {isPatch ? (
        <DiffText text={text} />
      ) : (
        <Code block tabIndex={0} aria-label="Text of the artifact" mah="60vh">
          <VisibleText text={text} />
        </Code>
      )}
    </>
  );
}

/** The type is ours, from the list of those without scripts, whatever the agent called it. */
function Picture({ bytes, type, name }: { bytes: ArrayBuffer; type: string; name: string }) {
  const [url, setUrl] = useState<string | null>(null);
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  if (broken) {
    return (
      <Banner tone="wait">
        This file is not an image of the type that it claims to be. You can download it.
      </Banner>
    );
  }
  return url === null ? null : (
    <Image src={url} alt={`Picture ${name}`} fit="contain" mah="60vh" onError={() => setBroken(true)} />
  );
}

const colours = {
  added: 'var(--gp-ok)',
  removed: 'var(--gp-fail)',
  place: 'var(--gp-run)',
  file: undefined,
  same: undefined,
};

/** A patch, line by line: what is added and removed is in colour, beside its first character. */
function DiffText({ text }: { text: string }) {
  return (
    <Code block tabIndex={0} aria-label="Text of the artifact" mah="60vh">
      {diffLines(text).map(({ kind, line }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes.
        <span key={at} style={{ color: colours[kind], fontWeight: kind === 'file' ? 700 : undefined }}>
          <VisibleText text={line} />
          {'\n'}
        </span>
      ))}
    </Code>
  );
}

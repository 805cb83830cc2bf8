import './steps.css';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import type { EnvRow } from './env-values.ts';

/** A plain value, or the secret by its name. */
export function VariableValue({ row: { kind, text } }: { row: EnvRow }) {
  const { slug } = useWorkspace();
  return kind === 'value' ? (
    <VisibleText text={text} />
  ) : (
    <span className="reference-chip">
      secret <TextLink to={pathOf(slug, 'secrets', text)}>{text}</TextLink>
    </span>
  );
}

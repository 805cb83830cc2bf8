/** The views of a list, each an address of its own. */
import { Link } from 'wouter';

interface View {
  name: string;
  label: string;
  to: string;
}

export function ViewLinks({ label, views, shown }: { label: string; views: readonly View[]; shown: string }) {
  return (
    <nav className="views" aria-label={label}>
      {views.map(({ name, label: text, to }) => (
        <Link key={name} href={to} replace aria-current={name === shown ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}

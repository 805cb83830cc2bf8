import { Text, Title } from '@mantine/core';
import { productName } from '../../../../contract/product-name.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { Mark } from '../../components/icon.tsx';
import { SignInChoices } from './sign-in-choices.tsx';

/**
 * Shown in place of any page until the user signs in. The address stays, so that the page they
 * asked for opens afterwards. `why`: what ended the sign-in before.
 */
export function SignInPage({ why }: { why: string | null }) {
  usePageTitle('Sign in');
  return (
    <main className="sign-in">
      <div className="sign-in-about">
        <div className="brand">
          <Mark size={28} />
          {productName}
        </div>
        <p>
          Agents ask, people decide.
          <br />
          The trail remembers.
        </p>
        <Gate />
      </div>
      <div className="sign-in-choices">
        <Title order={1}>Sign in</Title>
        {why === null ? null : <Text>{why}</Text>}
        <SignInChoices />
      </div>
    </main>
  );
}

/** Where each bar is, and where it begins. */
const bars = [
  [104, 96],
  [142, 65],
  [180, 56],
  [218, 65],
  [256, 96],
] as const;

/** The gate, half raised, and what waits before it. */
function Gate() {
  return (
    <svg className="sign-in-gate" viewBox="0 0 360 420" aria-hidden="true">
      {[94, 112, 132, 154].map((radius, index) => (
        <path
          key={radius}
          d={`M${180 - radius} 420V150a${radius} ${radius} 0 0 1 ${2 * radius} 0v270`}
          opacity={0.5 - index * 0.12}
        />
      ))}
      <path d="M86 160h188M86 214h188M86 268h188" strokeWidth="3" />
      {bars.map(([x, top]) => (
        <path key={x} d={`M${x} ${top}V300`} strokeWidth="3" />
      ))}
      {bars.map(([x]) => (
        <path key={x} d={`M${x - 6} 298h12l-6 16z`} className="sign-in-tip" />
      ))}
      <circle cx="180" cy="368" r="6" className="sign-in-asks" />
    </svg>
  );
}

/** What the product does, drawn: an agent asks at the gate, a person decides, a call passes. */
export function GateDiagram() {
  return (
    <svg className="gate-diagram" viewBox="0 0 468 196" aria-hidden="true">
      <path className="dashed" d="M118 98H196" />
      <path d="M272 98H350" />
      <rect className="dashed box" x="8" y="62" width="110" height="72" rx="10" />
      <text className="name" x="63" y="94">
        Agent
      </text>
      <text x="63" y="112">
        in a sandbox
      </text>
      <rect className="box" x="350" y="62" width="110" height="72" rx="10" />
      <text className="name" x="405" y="94">
        MCP server
      </text>
      <text x="405" y="112">
        has the secret
      </text>
      <path
        className="arch"
        transform="translate(196 54) scale(4.75)"
        fillRule="evenodd"
        d={
          'M1 15V7a6 6 0 0 1 6-6h2a6 6 0 0 1 6 6v8h-2V8.5h-2v2.7L10 13l-1-1.8V8.5H7v2.7L6 13l-1-1.8' +
          'V8.5H3V15zM3 7h2V3.5A4 4 0 0 0 3 7zM7 3v4h2V3zM11 3.5V7h2a4 4 0 0 0-2-3.5z'
        }
      />
      <circle className="bar-wait" cx="157" cy="98" r="6" />
      <circle className="bar-ok" cx="311" cy="98" r="6" />
      <text className="asks" x="157" y="80">
        asks
      </text>
      <text className="passes" x="311" y="80">
        passes
      </text>
      <path d="M234 26v16M234 136v22" />
      <rect className="decides" x="187" y="2" width="94" height="24" rx="12" />
      <text className="decides-text" x="234" y="18">
        you decide
      </text>
      <text x="234" y="176">
        every step is in the audit trail
      </text>
    </svg>
  );
}

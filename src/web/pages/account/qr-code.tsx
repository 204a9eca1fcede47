import { encode } from 'uqr';

/** A text as a QR code, always dark on white: not every camera reads it the other way round. */
export const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { data, size } = encode(text, { border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={208}
      height={208}
      shapeRendering="crispEdges"
      style={{ borderRadius: 8, maxWidth: '100%' }}
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={dark.join('')} fill="#000000" />
    </svg>
  );
};

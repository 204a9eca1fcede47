export const Logo = () => <img src="/icon.svg" width={28} height={28} alt="" />;
